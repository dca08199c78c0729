#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Each way in which a rebind is refused has its errno and its message, and leaves the
# QP on its path. drain_timeout.sh has the ones that need a silent peer.
#
# bed: two-planes
# timeout: 600
# kernels: 6.1 6.12

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

# The QP of an application, in mode balance.
start_one() {
	module_on
	mode balance
	watch_start -q 1 -l 2
	qpn=${lqpns[0]}
	before=$(qp_path)
}

qp_path() { qp "$qpn" '[.state, ."flow-label", .lane, ."udp-sport"] | @csv'; }

try() { sfnl qp rebind dev rxe0 lqpn "$qpn" "$@"; }

# The application is well and its QP where it was.
end_one() {
	expect "path of the QP" "$(qp_path)" "$before"
	watch_goes_on 20
	watch_stop
	mode observe
}

test_no_such_device_or_qp() {
	start_one
	refused "No such device" "no RDMA device named nothere" \
		sfnl qp rebind dev nothere lqpn "$qpn" lane 1
	refused "No such file" "rxe0 has no QP 16777214" \
		sfnl qp rebind dev rxe0 lqpn 16777214 lane 1
	end_one
}

test_mode_observe() {
	start_one
	mode observe
	refused "Read-only file system" "rxe0 is in mode observe" try lane 1
	mode balance
	end_one
}

test_no_such_lane() {
	start_one
	refused "Invalid argument" "rxe0 has no lane 2" try lane 2
	expect_exit 1 try lane nothere
	expect_exit 1 try flow-label 0x100000
	expect_exit 1 try lane 1 flow-label 1
	expect_exit 1 try
	end_one
}

lane_state() { sfnl -j lane show dev rxe0 | jq -r ".[] | select(.id == $1).state"; }
lane_is() { [ "$(lane_state "$1")" = "$2" ]; }

test_lane_down() {
	start_one
	ip link set plane1 down
	wait_for lane_is 1 down
	refused "Network is down" "lane 1 of rxe0 is down" try lane 1
	ip link set plane1 up
	wait_for lane_is 1 up
	wait_for bond_ready
	end_one
}

test_lane_absent() {
	start_one
	ip link set plane1 nomaster
	wait_for lane_is 1 absent
	refused "Network is down" "lane 1 of rxe0 is down or absent" try lane 1
	ip link set plane1 down
	ip link set plane1 master bond0
	wait_for lane_is 1 up
	wait_for bond_ready
	end_one
}

# many_start STATE-OPTION TYPE: a QP that is not in RTS or cannot be moved
many_start() {
	qp_many -d rxe0 -n 1 -t "$@" >/tmp/many &
	many=$!
	wait_for grep -q ready /tmp/many
	qpn=$(rdma -j res show qp | jq '.[] | select(.comm == "qp_many").lqpn')
}

test_not_rts() {
	module_on
	mode balance
	many_start rc
	refused "not connected" "QP $qpn is not in state RTS" try lane 1
	kill "$many"
	wait "$many"
	many_start rc -i
	refused "not connected" "QP $qpn is not in state RTS" try flow-label 5
	kill "$many"
	wait "$many"
	mode observe
}

test_type_that_cannot_move() {
	module_on
	mode balance
	many_start ud -i
	refused "not supported" "QP $qpn is of type UD" try lane 1
	qpn=1
	refused "not supported" "QP 1 is of type GSI" try lane 1
	kill "$many"
	wait "$many"
	mode observe
}

test_driver_without_a_strategy() {
	module_on
	load_test_module sf_plainhca
	expect "strategy" "$(sfnl -j dev show plain0 | jq -r '.[0].strategy')" null
	expect "driver" "$(sfnl -j dev show plain0 | jq -r '.[0].driver')" sf_plainhca
	refused "not supported" sf_plainhca sfnl dev set plain0 mode balance
	expect "mode" "$(sfnl -j dev show plain0 | jq -r '.[0].mode')" observe
	rmmod sf_plainhca
	expect "devices" "$(sfnl -j dev show | jq -c '[.[].ifname]')" '["rxe0"]'
}

# Where the QP is already is no error.
test_unchanged() {
	start_one
	expect "result" "$(sfnl -j qp rebind dev rxe0 lqpn "$qpn" lane 0 | jq -r '.[0].result')" \
		unchanged
	expect "result" "$(sfnl -j qp rebind dev rxe0 lqpn "$qpn" flow-label 2 |
		jq -r '.[0].result')" unchanged
	end_one
}

run_tests test_no_such_device_or_qp test_mode_observe test_no_such_lane test_lane_down \
	test_lane_absent test_not_rts test_type_that_cannot_move \
	test_driver_without_a_strategy test_unchanged
