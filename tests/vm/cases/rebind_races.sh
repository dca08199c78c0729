#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# QPs are moved without a pause while they, their owner, the device or the module go.
#
# bed: two-planes
# timeout: 600
# kernels: 6.1 6.12

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

storm_start() {
	rebind_storm -d rxe0 "$@" >/tmp/storm &
	storm=$!
}

# storm_stop ERRNO...: no other answers than these, and "moved"
storm_stop() {
	local allowed

	kill "$storm"
	wait "$storm" || fail "rebind_storm: $(</tmp/storm)"
	allowed=$(printf '"%s",' "$@")
	echo "storm: $(</tmp/storm)"
	jq -e ".errors | keys - [${allowed%,}] == []" /tmp/storm >/dev/null ||
		fail "answers other than $*"
}

# What a QP may answer whose owner does what it likes with it.
owner_answers="ENOENT ENOTCONN ECANCELED EINVAL ETIME"

# It has moved QPs of the application.
storm_moves() { [ "$(sfnl -dj qp show comm qp_watch | jq '[.[].rebinds] | add')" -gt 5 ]; }

test_destroy() {
	module_on
	mode balance
	storm_start
	qp_churn -d rxe0 -n $((1500 / SF_SLOW)) -m 24 -x rc,rc,uc >/tmp/churn || fail "qp_churn: $(</tmp/churn)"
	echo "churn: $(</tmp/churn)"
	# shellcheck disable=SC2086 # words
	storm_stop $owner_answers
	[ "$(jq .moved /tmp/storm)" -gt $((20 / SF_SLOW)) ] || fail "hardly a QP was moved"
	wait_for only_kernel_qps
	mode observe
	expect_equal_tables
	module_off
}

test_kill() {
	local i

	module_on
	mode balance
	storm_start
	for ((i = 1; i <= 8 / (SF_SLOW > 1 ? 2 : 1); i++)); do
		watch_start -q 3
		watch_goes_on $((i * 10))
		kill -9 "$watch_client"
		wait "$watch_client" 2>/dev/null || true
		wait_for only_kernel_qps
		wait "$watch_server" || true
		expect "did the server lose its peer" "$(field "$server" .peer_lost)" true
	done
	# shellcheck disable=SC2086 # words
	storm_stop $owner_answers
	mode observe
	expect_equal_tables
	module_off
}

device_is_gone() { [ ! -e /sys/class/infiniband/rxe0 ]; }
not_in_use() { [ "$(</sys/module/scalefabric/refcnt)" = 0 ]; }

# rxe waits for its users before it goes, so the application is killed meanwhile.
test_device_removal() {
	local deletion

	module_on
	mode balance
	watch_start -q 3
	storm_start
	wait_for storm_moves
	watch_goes_on 50
	rdma link delete rxe0 &
	deletion=$!
	wait_for in_use_no_more
	kill -9 "$watch_client"
	wait "$deletion"
	wait_for device_is_gone
	wait "$watch_server" || true
	# shellcheck disable=SC2086 # words
	storm_stop $owner_answers ENODEV EROFS
	expect "devices" "$(sfnl -j dev show)" "[]"
	expect "QPs" "$(sfnl -j qp show)" "[]"
	wait_for not_in_use
	rxe_up
	expect "mode of the new device" "$(sfnl -j dev show rxe0 | jq -r '.[0].mode')" observe
	module_off
}

in_use_no_more() { ! sfnl dev show rxe0 >/dev/null 2>&1; }

test_rmmod() {
	local i

	module_on
	mode balance
	watch_start -q 3
	storm_start
	wait_for storm_moves
	! rmmod scalefabric 2>/dev/null || fail "the module was unloaded in mode balance"
	mode observe
	rmmod_when_idle
	watch_goes_on 50
	# The storm has an open socket of a family that is no more.
	kill "$storm"
	wait "$storm" || true

	# Questions under way do not keep it, and do not harm it.
	(while :; do sfnl -d qp show >/dev/null 2>&1 || true; done) &
	(while :; do sfnl monitor qp >/dev/null 2>&1 || true; done) &
	for i in {1..5}; do
		module_on
		rmmod_when_idle
	done
	watch_goes_on 50
	watch_stop
}

# A dump under way holds the module for its moment.
rmmod_when_idle() { wait_for rmmod_quiet; }
rmmod_quiet() { rmmod scalefabric 2>/dev/null; }

run_tests test_destroy test_kill test_device_removal test_rmmod
