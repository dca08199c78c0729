#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# The peer stops answering in the middle of a move. Where the driver has to drain the
# send queue, that must end in time, and the QP must live on as before.
#
# bed: two-planes
# timeout: 600

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

# B loses all that comes over the planes, until peer_go or the end of the test.
peer_stop() {
	trap 'peer_go >/dev/null 2>&1 || true' EXIT
	on B 'modprobe -a sch_ingress cls_matchall act_gact
		for plane in plane0 plane1; do
			tc qdisc add dev $plane ingress &&
			tc filter add dev $plane parent ffff: matchall action drop
		done'
}

peer_go() { on B 'for plane in plane0 plane1; do tc qdisc del dev $plane ingress; done'; }

# The application waits for its peer: no write ends any more.
watch_stands() {
	local before

	before=$(watch_writes)
	sleep 1
	[ "$before" = "$(watch_writes)" ]
}

# The ACK timeout (8.6 s) is out of the way of a drain timeout of 0.9 s at most.
start_and_stop_peer() {
	peer_go >/dev/null 2>&1 || true
	module_on
	mode balance
	watch_start -q 1 -l 2 -T 21
	qpn=${lqpns[0]}
	before=$(qp_path)
	peer_stop
	wait_for watch_stands
}

last_result_is() { [ "$(sfnl -dj qp show dev rxe0 lqpn "$qpn" | jq -r '.[0].result')" = "$1" ]; }

qp_path() { qp "$qpn" '[.state, ."flow-label", .lane, ."udp-sport"] | @csv'; }

test_drain_timeout_is_rolled_back() {
	local timeout

	rxe_drains || skip_test "rxe of $SF_RELEASE moves a QP without a drain"
	start_and_stop_peer
	for timeout in 100 10 300; do
		sfnl dev set rxe0 drain-timeout $timeout
		refused "Timer expired" "not drained within $timeout ms" \
			sfnl qp rebind dev rxe0 lqpn "$qpn" lane plane1
		expect "path of the QP" "$(qp_path)" "$before"
		last_result_is drain-timeout || fail "the table does not tell of the timeout"
		expect "state in the kernel" \
			"$(rdma -j res show qp | jq -r ".[] | select(.lqpn == $qpn).state")" RTS
	done
	peer_go
	watch_goes_on 50
	wait_for all_on_plane 0
	rebind "$qpn" lane 1
	wait_for all_on_plane 1
	watch_stop
	sfnl dev set rxe0 drain-timeout 500
	mode observe
}

# With the peer silent and one move after the other. Sets $told: how many moves told that
# the owner ended them.
owner_dies() {
	local storm began

	start_and_stop_peer
	sfnl dev set rxe0 drain-timeout 900
	rebind_storm -d rxe0 >/tmp/storm &
	storm=$!
	wait_for last_result_is drain-timeout
	began=${EPOCHREALTIME/./}
	kill -9 "$watch_client"
	wait_for only_kernel_qps
	echo "gone after $(((${EPOCHREALTIME/./} - began) / 1000)) ms"
	kill "$storm"
	wait "$storm"
	echo "storm: $(</tmp/storm)"
	jq -e '.moved == 0 and (.errors | keys - ["ECANCELED", "ENOENT", "ETIME"]) == []' \
		/tmp/storm >/dev/null || fail "other answers than those of a lost owner"
	told=$(jq '.errors.ECANCELED // 0' /tmp/storm)
	peer_go
	wait "$watch_server" || true
}

# The owner shall not wait for us: its death ends a drain. It may die in the moment
# between two moves; then once more.
test_owner_dies_during_drain() {
	local try told=0

	rxe_drains || skip_test "rxe of $SF_RELEASE moves a QP without a drain"
	for try in 1 2 3; do
		[ "$told" != 0 ] || owner_dies
	done
	expect "moves that the owner ended" "$told" 1
	sfnl dev set rxe0 drain-timeout 500
	mode observe
	expect_equal_tables
}

# One move after the other, until the QP is dead. A retransmission may let one succeed.
move_finds_it_dead() {
	answer=$(sfnl qp rebind dev rxe0 lqpn "$qpn" flow-label $((++label)) 2>&1) || true
	[[ $answer = *"not in state RTS"* ]]
}

# Two timeouts of a second end the QP, most likely in the middle of a move: the way back
# must not bring it to life again. Its owner stands still, so that it is there to look at.
test_qp_dies_during_drain() {
	local answer label=100

	rxe_drains || skip_test "rxe of $SF_RELEASE moves a QP without a drain"
	module_on
	mode balance
	sfnl dev set rxe0 drain-timeout 900
	watch_start -q 1 -l 2 -T 18 -r 1
	qpn=${lqpns[0]}
	peer_stop
	kill -STOP "$watch_client"
	wait_for move_finds_it_dead
	expect "state in the kernel" \
		"$(rdma -j res show qp | jq -r ".[] | select(.lqpn == $qpn).state")" ERR
	peer_go
	kill -CONT "$watch_client"
	wait "$watch_client" || true
	wait "$watch_server" || true
	expect "errors the client saw" "$(field "$client.end" '.bad_completions > 0')" true
	sfnl dev set rxe0 drain-timeout 500
	mode observe
}

test_move_while_peer_is_silent() {
	! rxe_drains || skip_test "rxe of $SF_RELEASE drains"
	start_and_stop_peer
	sfnl qp rebind dev rxe0 lqpn "$qpn" lane plane1
	expect "lane" "$(qp "$qpn" '."lane-name"')" plane1
	peer_go
	watch_goes_on 50
	wait_for all_on_plane 1
	watch_stop
	mode observe
}

run_tests test_drain_timeout_is_rolled_back test_owner_dies_during_drain \
	test_qp_dies_during_drain test_move_while_peer_is_silent
