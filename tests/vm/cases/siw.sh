#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Error events that a driver raises by itself: soft-iWARP does where soft-RoCE does not.
# Stock kernels of Debian have no siw.
#
# bed: two-planes
# timeout: 300
# kernels: test

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

# Both ends are on this host. On a device of its own: an address of loopback would lead
# to any RDMA device there is.
siw_up() {
	siw_down
	modprobe -a siw rdma_ucm dummy
	ip link add iw0 type dummy
	ip link set iw0 up
	ip address add 10.78.0.1/24 dev iw0
	rdma link add siw0 type siw netdev iw0
}

siw_down() { ip link delete iw0 2>/dev/null || true; }

# deed NAME EVENT: the application, the table, the listener and the log agree on the QP.
deed() {
	local program monitor qpn log="scalefabric: siw0: QP"

	dmesg -C
	sfnl -j monitor event >/tmp/monitor &
	monitor=$!
	wait_for listens "$monitor"
	siw_err -a 10.78.0.1 "$1" >/tmp/deed &
	program=$!
	wait_for -t 30 grep -q event /tmp/deed || fail "no event for the application"
	qpn=$(field /tmp/deed .lqpn)
	expect "what libibverbs says" "$(jq -c '[.event, .as_expected]' /tmp/deed)" "[\"$2\",true]"
	wait_for -t 30 heard "$qpn" "$2" || fail "heard: $(cat /tmp/monitor), expected: $(cat /tmp/deed)"
	expect "counts" "$(sfnl -dj qp show dev siw0 lqpn "$qpn" | jq -c '.[0].events')" "{\"$2\":1}"
	expect "owner" "$(sfnl -j qp show dev siw0 lqpn "$qpn" | jq -c '.[0] | [.comm, .pid]')" \
		"[\"siw_err\",$program]"
	expect "lines in the log" "$(dmesg | grep -c "$log $qpn (RC, .*siw_err): $3")" 1
	kill "$program" "$monitor"
	wait "$program" "$monitor" || true
}

listens() { awk -v pid="$1" '$3 == pid && $4 != "00000000"' /proc/net/netlink | grep -q .; }

heard() { # QPN EVENT
	[ "$(jq -r 'select(.notification == "event") | "\(.ifname) \(.lqpn) \(.event)"' /tmp/monitor |
		grep -c "siw0 $1 $2")" = 1 ]
}

test_access_err() { siw_case access access-err QP_ACCESS_ERR; }
test_req_err() { siw_case req req-err QP_REQ_ERR; }
test_fatal() { siw_case fatal fatal QP_FATAL; }

siw_case() {
	trap siw_down EXIT
	siw_up
	module_on
	deed "$@"
	expect_equal_tables
}

# It closes the connection in SQD: it is not to be moved.
test_siw_is_not_moved() {
	trap siw_down EXIT
	siw_up
	module_on
	refused "Operation not supported" "siw" sfnl dev set siw0 mode balance
	expect "mode" "$(sfnl -j dev show siw0 | jq -r '.[0].mode')" observe
}

run_tests test_access_err test_req_err test_fatal test_siw_is_not_moved
