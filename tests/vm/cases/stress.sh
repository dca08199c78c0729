#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Much of everything, by count: the module comes and goes, QPs are moved while their
# owners are killed, and more events come at once than a ring can hold.
#
# bed: two-planes
# timeout: 1200
# kernels: 6.12

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

# A kernel that checks everything gets a part; the whole is for the others.
cycles=$((1000 / (SF_SLOW * SF_SLOW)))
moves=$((5000 / SF_SLOW))
kills=$((40 / SF_SLOW))
events=100000
hca=/sys/class/infiniband/hca0/hca

hca_up() { # QPS
	load_test_module sf_hca
	echo "hca0 2 ib" >/sys/module/sf_hca/parameters/add
	echo "create $1 rc RTS" >$hca/kernel_qps
}

hca_down() { [ ! -e /sys/module/sf_hca ] || rmmod sf_hca; }

test_module_comes_and_goes() {
	local i qps

	trap hca_down EXIT
	module_off
	hca_up 100
	qps=$(rdma -j res show qp link hca0 | jq length)
	for ((i = 0; i < cycles; i++)); do
		insmod "$SF_BUILD/scalefabric.ko"
		[[ $(sfnl -j dev show hca0) = *"\"qps\":$qps,"* ]] || fail "round $i: $(sfnl -j dev show)"
		rmmod scalefabric
	done
	expect "QPs" "$(<$hca/kernel_qps)" 100
	echo "$cycles cycles"
}

# Killed at any moment: while it sets up its QPs, uses them, or loses them.
kill_at_random() {
	local server client

	server=$RANDOM
	on B "$SF_TOP/build/tests/qp_watch -d rxe0 -p 2000 >/tmp/watch.$server" &
	server=$!
	qp_watch -d rxe0 -q 6 -p 2000 "$PEER_MGMT" >/tmp/watch &
	client=$!
	for ((n = RANDOM % 60; n > 0; n--)); do nap; done
	kill -9 "$client" 2>/dev/null || true
	wait "$client" || true
	kill "$server" 2>/dev/null || true
	wait "$server" || true
}

test_moves_and_kills() {
	local i

	module_on
	mode balance
	rebind_storm -d rxe0 >/tmp/storm &
	storm=$!
	for ((i = 0; i < kills; i++)); do
		kill_at_random
	done
	kill "$storm"
	wait "$storm" || fail "rebind_storm: $(</tmp/storm)"
	echo "$(</tmp/storm), $kills kills"
	jq -e '.errors | keys - ["ENOENT", "ENOTCONN", "ECANCELED", "EINVAL", "ETIME"] == []' \
		/tmp/storm >/dev/null || fail "other answers than a QP may give whose owner dies"
	jq -e ".moved >= $moves" /tmp/storm >/dev/null || fail "fewer than $moves moves"
	wait_for only_kernel_qps
	mode observe
	expect_equal_tables 60
	module_off
}

# burst CONTEXT: what the table counts and what is counted as lost is all there was.
burst() {
	local before seen qpn

	before=$(lost)
	qpn=$(sfnl -j qp show dev hca0 comm sf_hca | jq '.[0].lqpn')
	echo 0 >$hca/kernel_events
	echo "$qpn PATH_MIG $events $1" >$hca/event
	expect "events that the owner had ($1)" "$(<$hca/kernel_events)" $events
	wait_for all_counted "$qpn" "$before"
	echo "$1: $seen seen, $((events - seen)) counted as lost"
}

all_counted() {
	seen=$(sfnl -dj qp show dev hca0 lqpn "$1" | jq '.[0].events."path-mig" // 0')
	[ $((seen + $(lost) - $2)) = $events ]
}

test_burst_of_events() {
	local context

	trap hca_down EXIT
	for context in process softirq hardirq; do
		module_off
		hca_up 10
		module_on
		burst $context
		module_off
		hca_down
	done
}

# A ring that holds them all loses none: they are raised on one CPU.
test_burst_that_fits() {
	trap hca_down EXIT
	module_off
	hca_up 10
	module_on ring_size=65536
	events=60000
	burst process
	expect "lost" "$(lost)" 0
	module_off
}

run_tests test_module_comes_and_goes test_moves_and_kills test_burst_of_events \
	test_burst_that_fits
