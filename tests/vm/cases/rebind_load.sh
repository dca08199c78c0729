#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# QPs are moved between the planes while an application writes, queries its QPs and
# listens for events all the time. It must not notice; its packets must move.
#
# bed: two-planes
# timeout: 600
# kernels: 6.1 6.12

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

# move LQPN PLANE: and the answer must fit
move() {
	rebind "$1" lane "$2" >/tmp/answer
	[[ $(</tmp/answer) = *'"result":"moved"'*'"old-lane":'$((1 - $2))* &&
	   $(</tmp/answer) = *'"lane":'$2* ]] || fail "QP $1 to plane $2: $(</tmp/answer)"
}

# moved_bytes PLANE: what it has carried since the last call, by the netdev's counters
declare -A seen_bytes=([0]=0 [1]=0)
count_bytes() {
	local plane now

	for plane in 0 1; do
		now=$(plane_bytes "$plane" tx)
		moved_bytes[plane]=$((now - seen_bytes[$plane]))
		seen_bytes[$plane]=$now
	done
}

bytes_go_over() { # PLANE
	count_bytes
	nap
	count_bytes
	[ "${moved_bytes[$1]}" -gt 20000 ] && [ "${moved_bytes[1 - $1]}" -lt 5000 ]
}

test_100_rebinds_under_load() {
	local round lqpn plane=1 moves=0
	declare -a moved_bytes

	module_on
	mode balance
	sfnl dev set rxe0 drain-timeout 900
	sfnl -j monitor rebind >/tmp/monitor &
	watch_start -q 4 -l 2,3,6,7 -s 1024 -D 8
	wait_for all_on_plane 0
	for round in {1..25}; do
		for lqpn in "${lqpns[@]}"; do
			move "$lqpn" $plane
			moves=$((moves + 1))
		done
		# Four QPs, one plane: the packets, then the counters of the devices.
		if ((round % 6 == 1)); then
			wait_for all_on_plane $plane
			wait_for bytes_go_over $plane
		fi
		watch_goes_on 20
		plane=$((1 - plane))
	done
	expect "rebinds" $moves 100
	expect "rebinds in the table" \
		"$(sfnl -dj qp show comm qp_watch | jq -c '[.[].rebinds] | unique')" "[25]"
	expect "state in the kernel" "$(rdma -j res show qp | jq -c '[.[].state] | unique')" '["RTS"]'
	watch_stop
	echo "client: $(<"$client")"
	wait_for rebinds_told 100
	mode observe
	expect "records lost" "$(lost)" 0
}

rebinds_told() {
	[ "$(grep -c '"result":"moved"' /tmp/monitor)" = "$1" ]
}

# The other way of asking: the QP gets the very label.
test_rebind_to_a_flow_label() {
	local label sport

	module_on
	mode balance
	watch_start -q 1 -l 2
	for label in 0x12345 1 0xfffff 0 2; do
		rebind "${lqpns[0]}" flow-label $label
		expect "flow label" "$(qp "${lqpns[0]}" '."flow-label"')" $((label))
		sport=$(qp "${lqpns[0]}" '."udp-sport"')
		wait_for leaves_from "$sport"
		expect "lane on the wire" "$(lanes_on_wire 50)" \
			"${rqpns[0]} $(qp "${lqpns[0]}" '."lane-name"')"
	done
	watch_stop
	expect "labels that the application saw change" "$(field "$client" .label_changes)" 5
	mode observe
}

# leaves_from SPORT: all packets
leaves_from() {
	# shellcheck disable=SC2086 # a list
	[ "$(wire_watch -n 50 $planes | jq -c '[.flows[].sport] | unique')" = "[$1]" ]
}

# The peer's QPs only answer; they move all the same.
test_rebind_of_a_target() {
	local lane

	watch_start -q 1 -l 2
	on B load_module
	on B sfnl dev set rxe0 mode balance
	for lane in 0 1 0; do
		on B ". $SF_TOP/tests/vm/cases/common.sh; rebind ${rqpns[0]} lane $lane"
		watch_goes_on 50
	done
	on B sfnl dev set rxe0 mode observe
	on B rmmod scalefabric
	watch_stop
}

# Of these the module has to find out the path by itself.
test_rebind_of_qps_older_than_the_module() {
	local lqpn

	module_off
	watch_start -q 2 -l 2,3
	module_on
	mode balance
	for lqpn in "${lqpns[@]}"; do
		move "$lqpn" 1
	done
	wait_for all_on_plane 1
	watch_goes_on 50
	watch_stop
	module_off
}

# Both ends on one host: rxe does not send these packets, but hands them over, and knows
# them by the MAC address of their path.
test_rebind_of_old_qps_within_a_host() {
	local lqpn label

	module_off
	status=/tmp/within.status
	qp_watch -d rxe0 >/tmp/within.server &
	watch_server=$!
	qp_watch -d rxe0 -q 2 -S $status "$(mgmt_of "$SF_HOST")" >/tmp/within.client &
	watch_client=$!
	wait_for watch_moves 10
	module_on
	mode balance
	for label in 5 6 7; do
		for lqpn in $(jq '.qps[] | .lqpn, .rqpn' $status); do
			rebind "$lqpn" flow-label $label
			watch_goes_on 20
		done
	done
	kill "$watch_client"
	wait "$watch_client" || true
	wait "$watch_server" || true
	watch_is_well /tmp/within.client
	watch_is_well /tmp/within.server
	module_off
}

# Mode balance alone changes nothing either, and both ways are taken under load.
test_mode_under_load() {
	local i

	module_on
	watch_start -q 4 -l 1,2
	for i in {1..5}; do
		mode balance
		watch_goes_on 20
		mode observe
		watch_goes_on 20
	done
	watch_stop
}

run_tests test_100_rebinds_under_load test_rebind_to_a_flow_label \
	test_rebind_of_a_target test_rebind_of_qps_older_than_the_module \
	test_rebind_of_old_qps_within_a_host test_mode_under_load
