#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# 10000 QPs (fewer on a slow kernel): seen as they come, found when they are older, dumped without a gap.
#
# bed: two-planes
# timeout: 600
# kernels: 6.1 6.12

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

count=$((10000 / SF_SLOW))

many_start() {
	qp_many -d rxe0 -n $count "$@" >/tmp/many &
	many=$!
	wait_for -t 300 grep -q ready /tmp/many
}

numbers_equal() {
	rdma -j res show qp | jq '.[].lqpn' | sort >/tmp/rdma
	sfnl -j qp show | jq '.[].lqpn' | sort >/tmp/sfnl
	cmp -s /tmp/rdma /tmp/sfnl
}

expect_all() {
	wait_for -t 60 numbers_equal || diff /tmp/rdma /tmp/sfnl | head -n 20
	expect "QPs" "$(wc -l </tmp/sfnl)" $((count + 1))
	expect "QPs twice" "$(uniq -d /tmp/sfnl)" ""
	expect "QPs of the device" "$(sfnl -j dev show rxe0 | jq '.[0].qps')" $((count + 1))
}

none_left() { [ "$(count_qps)" = 1 ]; }

test_many_new_qps() {
	module_on
	many_start
	expect_all
	expect "QPs of the process" "$(sfnl -j qp show pid $many | jq length)" $count
	expect "details of all" "$(sfnl -dj qp show | jq length)" $((count + 1))
	kill $many
	wait $many
	wait_for none_left
	expect "records lost" "$(lost)" 0
}

test_many_old_qps() {
	module_off
	many_start
	module_on
	expect_all
	# The kernel destroys them, one after the other, without a look at the rings.
	kill -9 $many
	wait $many || true
	wait_for -t 300 only_kernel_qps
	wait_for none_left
	expect_equal_tables
	module_off
}

run_tests test_many_new_qps test_many_old_qps
