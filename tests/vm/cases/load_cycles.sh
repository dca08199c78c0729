#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# The module comes and goes under traffic, and other QPs come and go meanwhile.
#
# bed: two-planes
# timeout: 600
# kernels: 6.1 6.12

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

cycle() { # ROUND
	load_module
	expect_equal_lists
	# Every other time it leaves operations and event handlers that it had replaced.
	if (($1 % 2)); then
		mode balance
		rebind "${lqpns[0]}" lane $(($1 / 2 % 2)) >/dev/null
		mode observe
	fi
	rmmod scalefabric
	[ ! -e /sys/module/scalefabric ] || fail "still loaded"
}

# Of the QPs that stay: those of qp_watch.
expect_equal_lists() {
	expect "QPs of the application" \
		"$(sfnl -j qp show comm qp_watch | jq -c '[.[] | [.lqpn, .rqpn, .state, .pid]] | sort')" \
		"$(rdma -j res show qp | jq -c "[.[] | select(.comm == \"qp_watch\") |
			[.lqpn, .rqpn, .state, $watch_client]] | sort")"
}

test_cycles_under_traffic() {
	local round churn

	module_off
	watched=$(watched_functions)
	watch_start -q 2 -l 2,1
	qp_churn -d rxe0 -n 4294967295 -m $((16 / SF_SLOW)) -P 1 -t 1 >/tmp/churn &
	churn=$!
	for ((round = 1; round <= 20 / SF_SLOW; round++)); do
		cycle "$round"
	done
	kill "$churn"
	wait "$churn" || fail "qp_churn: $(</tmp/churn)"
	watch_goes_on 50
	watch_stop
	expect "functions watched" "$(watched_functions)" "$watched"
}

# Probes, and functions that ftrace calls somebody for.
watched_functions() {
	cat /sys/kernel/debug/kprobes/list /sys/kernel/tracing/enabled_functions
}

test_bad_parameters() {
	local size

	module_off
	watched=$(watched_functions)
	for size in 0 15 17 131072; do
		! insmod "$SF_BUILD/scalefabric.ko" ring_size=$size 2>/dev/null ||
			fail "loaded with ring_size=$size"
	done
	expect "functions watched" "$(watched_functions)" "$watched"
	module_on ring_size=64
	expect "ring size" "$(sfnl -j version | jq '.[0]."ring-size"')" 64
	module_off
}

test_not_loaded() {
	module_off
	expect_exit 2 sfnl dev show
	sfnl dev show 2>&1 | grep -q modprobe || fail "does not say how to load it"
}

run_tests test_cycles_under_traffic test_bad_parameters test_not_loaded
