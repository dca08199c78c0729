#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# RDMA devices that come, change their name, and go.
#
# bed: two-planes
# timeout: 300

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

names() { sfnl -j dev show | jq -c '[.[].ifname] | sort'; }
names_of_rdma() { rdma -j dev show | jq -c '[.[].ifname] | sort'; }

rxe1_up() {
	modprobe dummy
	[ -e /sys/class/net/dummy9 ] || ip link add dummy9 type dummy
	ip link set dummy9 up
	rdma link add rxe1 type rxe netdev dummy9
}

# A wrong name is not the name of nothing.
test_unknown_device() {
	module_on
	refused "No such device" nothere sfnl dev show nothere
	refused "No such device" nothere sfnl qp show dev nothere
	refused "No such device" nothere sfnl lane show dev nothere
}

test_hot_add_and_remove() {
	local i

	module_on
	expect "devices" "$(names)" '["rxe0"]'
	for i in {1..5}; do
		rxe1_up
		expect "devices" "$(names)" '["rxe0","rxe1"]'
		expect_equal_tables
		((i % 2)) || sfnl dev set rxe1 mode balance
		rdma link delete rxe1
		expect "devices" "$(names)" '["rxe0"]'
		load_test_module sf_plainhca
		expect "devices" "$(names)" "$(names_of_rdma)"
		rmmod sf_plainhca
	done
	expect "devices" "$(names)" '["rxe0"]'
	expect "references" "$(</sys/module/scalefabric/refcnt)" 0
	expect_equal_tables
	module_off
}

test_no_device_at_all() {
	module_off
	rxe_down
	module_on
	expect "devices" "$(names)" '[]'
	expect "QPs" "$(sfnl -j qp show)" '[]'
	rxe_up
	expect "devices" "$(names)" '["rxe0"]'
	expect_equal_tables
	module_off
}

test_rename() {
	module_on
	rxe1_up
	rdma dev set rxe1 name other
	expect "devices" "$(names)" '["other","rxe0"]'
	expect "name of a QP's device" "$(sfnl -j qp show dev other | jq -r '.[0].ifname')" other
	refused "No such device" "no RDMA device named rxe1" sfnl dev set rxe1 mode balance
	rdma link delete other
	module_off
}

test_balance_holds_the_module() {
	module_on
	mode balance
	expect_exit 1 rmmod scalefabric
	expect "references" "$(</sys/module/scalefabric/refcnt)" 1
	mode balance
	mode observe
	mode observe
	expect "references" "$(</sys/module/scalefabric/refcnt)" 0
	module_off
}

test_settings() {
	module_on
	expect "drain timeout" "$(sfnl -j dev show rxe0 | jq '.[0]."drain-timeout"')" 500
	sfnl dev set rxe0 drain-timeout 900
	expect "drain timeout" "$(sfnl -j dev show rxe0 | jq '.[0]."drain-timeout"')" 900
	expect_exit 1 sfnl dev set rxe0 drain-timeout 901
	expect_exit 1 sfnl dev set rxe0 drain-timeout 9
	expect_exit 1 sfnl dev set rxe0 mode other
	expect "driver" "$(sfnl -j dev show rxe0 | jq -r '.[0].driver')" rdma_rxe
	expect "lanes" "$(sfnl -j lane show dev rxe0 | jq -c '[.[] | [.id, .member, .bond, .state]]')" \
		'[[0,"plane0","bond0","up"],[1,"plane1","bond0","up"]]'
	module_off
}

run_tests test_unknown_device test_hot_add_and_remove test_no_device_at_all \
	test_rename test_balance_holds_the_module test_settings
