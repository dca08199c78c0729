#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Who may look and who may change.
#
# bed: two-planes
# timeout: 300
# kernels: 6.1 6.12

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

# The folder that the project is in may be closed to others.
sfnl_for_all() {
	install -m 755 "$(command -v sfnl)" /tmp/sfnl
}

nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
# Root with all capabilities, but in a user namespace of its own.
container() { unshare --user --map-root-user --net "$@"; }
# Root of the host, in another network namespace.
other_net() { unshare --net "$@"; }

# may_not_write WHO: in any way
may_not_write() {
	local denied="Operation not permitted"

	refused "$denied" "" "$1" /tmp/sfnl dev set rxe0 mode balance
	refused "$denied" "" "$1" /tmp/sfnl dev set rxe0 drain-timeout 20
	refused "$denied" "" "$1" /tmp/sfnl qp rebind dev rxe0 lqpn "${lqpns[0]}" lane 1
	expect "settings" "$(sfnl -j dev show rxe0 | jq -c '.[0] | [.mode, ."drain-timeout"]')" \
		"$settings"
	expect "lane" "$(qp "${lqpns[0]}" .lane)" 0
}

test_writes_need_cap_net_admin() {
	module_on
	sfnl_for_all
	watch_start -q 1 -l 2
	for wanted in observe balance; do
		mode $wanted
		settings=$(sfnl -j dev show rxe0 | jq -c '.[0] | [.mode, ."drain-timeout"]')
		may_not_write nobody
		may_not_write container
	done
	mode observe
	watch_stop
}

test_reads_are_free() {
	module_on
	sfnl_for_all
	expect "devices for nobody" "$(nobody /tmp/sfnl -j dev show)" "$(sfnl -j dev show)"
	expect "QPs for nobody" "$(nobody /tmp/sfnl -j qp show | jq length)" "$(count_qps)"
}

# Mode shared, the default: all namespaces use the device, and so may see it.
test_shared_device_is_seen_everywhere() {
	module_on
	sfnl_for_all
	expect "devices" "$(container /tmp/sfnl -j dev show | jq -c '[.[].ifname]')" '["rxe0"]'
	expect "pids that another namespace sees are its own" \
		"$(unshare --user --map-root-user --net --pid --fork /tmp/sfnl -j qp show |
		jq '[.[].pid // empty] | length')" 0
}

# They may listen, but whose QPs the host's processes are is not for them.
test_other_namespaces_do_not_hear_of_processes() {
	module_on
	load_test_module sf_inject
	sfnl_for_all
	watch_start -q 1 -l 2
	sfnl -j monitor event >/tmp/here &
	unshare --net /tmp/sfnl -j monitor event >/tmp/there &
	wait_for both_listen
	inject "${lqpns[0]}" PATH_MIG 1
	wait_for grep -q path-mig /tmp/here
	wait_for grep -q path-mig /tmp/there
	expect "owner, for the host" "$(jq -c '[.pid, .comm]' /tmp/here)" "[$watch_client,\"qp_watch\"]"
	expect "owner, for others" "$(jq -c '[.pid, .comm]' /tmp/there)" "[null,null]"
}

netns_mode_is() { rdma system show | grep -q "netns $1"; }
# Namespaces that end do so a moment later.
set_netns_mode() { rdma system set netns "$1" 2>/dev/null && netns_mode_is "$1"; }

test_exclusive_device_is_seen_in_its_namespace_only() {
	module_on
	load_test_module sf_inject
	sfnl_for_all
	wait_for set_netns_mode exclusive
	trap shared_again EXIT
	# No function in the background: it would be a shell of its own that is killed.
	unshare --net sleep infinity &
	expect "devices here" "$(sfnl -j dev show | jq -c '[.[].ifname]')" '["rxe0"]'
	for who in other_net container; do
		expect "devices for $who" "$($who /tmp/sfnl -j dev show)" '[]'
		expect "QPs for $who" "$($who /tmp/sfnl -j qp show)" '[]'
		expect "lanes for $who" "$($who /tmp/sfnl -j lane show)" '[]'
		refused "No such device" "" "$who" /tmp/sfnl dev set rxe0 mode balance
		refused "No such device" "" "$who" /tmp/sfnl qp rebind dev rxe0 lqpn 1 lane 1
	done

	# Nor does it hear of them.
	sfnl monitor >/tmp/here &
	unshare --net /tmp/sfnl monitor >/tmp/there &
	wait_for both_listen
	inject $((1 << 24 | 1)) PATH_MIG 3
	wait_for heard_here 3
	expect "events in the other namespace" "$(cat /tmp/there)" ""
}

shared_again() {
	# shellcheck disable=SC2046 # numbers
	kill $(jobs -p)
	wait
	wait_for -t 30 set_netns_mode shared
}

heard_here() { [ "$(grep -c path-mig /tmp/here)" = "$1" ]; }

# Each of the two monitors, in the namespace that is its own.
both_listen() {
	local pid pids

	mapfile -t pids < <(pgrep -x sfnl)
	[ ${#pids[@]} = 2 ] || return 1
	for pid in "${pids[@]}"; do
		[ -n "$(awk -v pid="$pid" '$3 == pid && $4 != "00000000"' "/proc/$pid/net/netlink")" ] ||
			return 1
	done
}

run_tests test_writes_need_cap_net_admin test_reads_are_free \
	test_shared_device_is_seen_everywhere test_other_namespaces_do_not_hear_of_processes \
	test_exclusive_device_is_seen_in_its_namespace_only
