#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Every allocation of the module fails, one after the other: what asked for it gets a
# clean error or carries on, nothing is left over, and the application's verbs never
# fail because of us.
#
# bed: two-planes
# timeout: 900
# kernels: test
# skip: the sweep is not finished: it takes longer than a check may
# allow: Failed to ((dis)?arm|(un)?register|init) kprobe-ftrace

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"
# shellcheck source=../lib/faults.sh
. "$SF_TOP/tests/vm/lib/faults.sh"

# What is left in the kernel of a module that is gone.
leftovers() { cat /sys/kernel/debug/kprobes/list /sys/kernel/tracing/enabled_functions; }

no_memory() { grep -qE 'Cannot allocate memory|No buffer space available' "$output"; }

# The command did all it should, or said why not.
clean() { [ "$code" = 0 ] || no_memory; }

loaded_or_clean() {
	clean || return
	if [ "$code" = 0 ]; then
		said_not_watched rxe0 || wait_for has_its_qp || return
		rmmod scalefabric
	fi
	not_loaded
}

not_loaded() { ! module_loaded; }

has_its_qp() { [ "$(sfnl -j dev show rxe0 | jq '.[0].qps')" = 1 ]; }

test_module_load() {
	trap faults_off EXIT
	module_off
	modprobe -a ib_core ib_uverbs
	before=$(leftovers)
	faults_in_modules
	sweep loaded_or_clean insmod "$SF_BUILD/scalefabric.ko"
	expect "probes left over" "$(leftovers)" "$before"
	[ "$swept" -gt 30 ] || fail "only $swept allocations"
}

# said_not_watched DEVICE: ib_core offers a device once.
said_not_watched() {
	! sfnl dev show "$1" >/dev/null 2>&1 && dmesg | tail -n 20 | grep -c "$1: not watched" >/dev/null
}

# The device comes whatever happens to us; we may not know it then, and say so.
device_came() {
	[ "$code" = 0 ] || return
	[ -e /sys/class/infiniband/rxe1 ] || return
	if ! sfnl dev show rxe1 >/dev/null 2>&1; then
		unknown=$((unknown + 1))
		said_not_watched rxe1 || return
	fi
	rdma link delete rxe1
	wait_for rxe1_is_gone
}

rxe1_is_gone() { ! rdma link show rxe1/1 >/dev/null 2>&1; }

test_device_add() {
	trap 'faults_off; ip link del fault0 2>/dev/null || true' EXIT
	unknown=0
	module_on
	modprobe dummy
	ip link add fault0 type dummy
	ip link set fault0 up
	faults_in scalefabric
	sweep device_came rdma link add rxe1 type rxe netdev fault0
	[ "$unknown" -gt 0 ] || fail "no allocation of a new device has failed"
	expect_equal_tables
}

# The event worker and scans: what they cannot add now they find later.
table_is_true() {
	[ "$code" = 0 ] || return
	workers_fail 0
	expect_equal_tables 60
}

test_qps_come_and_go() {
	local nth total=0

	trap faults_off EXIT
	module_on
	faults_in scalefabric
	for mode in observe balance; do
		mode $mode
		for ((nth = 1; ; nth++)); do
			workers_fail "$nth"
			fail_nth 0 qp_churn -d rxe0 -n 40 -m 8 >/tmp/churn
			table_is_true || fail "$mode, allocation $nth: $(</tmp/churn)"
			[ "$fired" ] || break
			total=$((total + 1))
		done
	done
	echo "$total allocations"
	[ "$total" -gt 5 ] || fail "only $total allocations"
	mode observe
}

# In the application's own context nothing of ours may fail: there is nothing to fail.
verbs_succeed() { [ "$code" = 0 ] && [ -z "$fired" ]; }

test_application_in_mode_balance() {
	trap faults_off EXIT
	module_on
	mode balance
	faults_in scalefabric
	# Calls of the driver below ours are the driver's.
	faults_not_on "$(code_of rdma_rxe | head -n 1)" "$(code_of rdma_rxe | tail -n 1)"
	sweep verbs_succeed qp_churn -d rxe0 -n 60 -m 8 -P 1 -t 1
	mode observe
}

settings() { sfnl -j dev show rxe0 | jq -c '.[0] | [.mode, ."drain-timeout"]'; }

# Nothing was changed by what failed.
all_or_nothing() {
	clean || return
	[ "$code" = 0 ] || [ "$(settings)" = "$old" ] || return
	sfnl dev set rxe0 mode observe drain-timeout 500
}

shown_or_clean() { clean; }

test_netlink_commands() {
	trap faults_off EXIT
	module_on
	mode observe
	sfnl dev set rxe0 drain-timeout 500
	old=$(settings)
	faults_in scalefabric
	sweep shown_or_clean sfnl version
	sweep shown_or_clean sfnl dev show
	sweep shown_or_clean sfnl dev show rxe0
	sweep shown_or_clean sfnl lane show
	sweep shown_or_clean sfnl -d qp show
	sweep shown_or_clean sfnl qp show dev rxe0 lqpn 1
	sweep all_or_nothing sfnl dev set rxe0 mode balance
	sweep all_or_nothing sfnl dev set rxe0 drain-timeout 400 mode balance
	expect_exit 1 fail_code sfnl dev set rxe0 drain-timeout 1
	sweep shown_or_clean sfnl dev set rxe0 mode observe
	expect "settings" "$(settings)" "$old"
}

fail_code() { "$@" >/dev/null 2>&1; }

# Moved or not, the QP runs, and what we say of it is what is on the wire.
moved_or_clean() {
	clean || grep -q 'QP [0-9]* was not moved' "$output" || return
	[ "$(qp "${lqpns[0]}" .state)" = RTS ] || return
	watch_goes_on 5
}

test_rebind() {
	trap faults_off EXIT
	module_on
	mode balance
	watch_start -q 2 -l 2,3
	faults_in scalefabric
	sweep moved_or_clean sfnl qp rebind dev rxe0 lqpn "${lqpns[0]}" lane 0
	sweep moved_or_clean sfnl qp rebind dev rxe0 lqpn "${lqpns[0]}" lane 1
	sweep moved_or_clean sfnl qp rebind dev rxe0 lqpn "${lqpns[0]}" flow-label 2
	faults_off
	watch_goes_on 50
	watch_stop
	mode observe
}

# What the worker cannot tell a listener, the listener hears that it missed.
test_listener() {
	local nth monitor

	trap faults_off EXIT
	module_on
	faults_in scalefabric
	for ((nth = 1; ; nth++)); do
		sfnl monitor >/tmp/monitor 2>&1 &
		monitor=$!
		workers_fail "$nth"
		fail_nth 0 qp_churn -d rxe0 -n 20 -m 4 >/tmp/churn
		workers_fail 0
		kill "$monitor"
		wait "$monitor" || true
		[ "$code" = 0 ] || fail "allocation $nth: $(</tmp/churn)"
		[ "$fired" ] || break
	done
	[ "$nth" -gt 1 ] || fail "no allocation"
	expect_equal_tables
}

gone() { [ "$code" = 0 ] && ! module_loaded && load_again; }

load_again() {
	faults_off
	load_module
	faults_in scalefabric
}

test_module_unload() {
	trap faults_off EXIT
	module_on
	watch_start -q 2
	faults_in scalefabric
	sweep gone rmmod scalefabric
	faults_off
	watch_goes_on 50
	watch_stop
	module_off
}

# The kernel itself warns where it has no memory to take a probe away.
echo 0 >/proc/sys/kernel/panic_on_warn
trap 'echo 1 >/proc/sys/kernel/panic_on_warn' EXIT
run_tests test_module_load test_device_add test_qps_come_and_go \
	test_application_in_mode_balance test_netlink_commands test_rebind test_listener \
	test_module_unload
