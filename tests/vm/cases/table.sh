#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# The QP table is what rdma res show qp says, at any time.
#
# bed: two-planes
# timeout: 600
# kernels: 6.1 6.12

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

# churn_start FILE [OPTION...]: the pid is $churn
churn_start() {
	qp_churn -d rxe0 "${@:2}" >"$1" &
	churn=$!
}

churn_ready() { grep -q ready "$1"; }

churn_end() { # FILE
	wait "$churn" || fail "qp_churn failed: $(cat "$1")"
	jq -e 'select(.ok == true)' "$1" >/dev/null || fail "qp_churn: $(cat "$1")"
}

test_qps_older_than_the_module() {
	module_off
	churn_start /tmp/old -n 200 -m 48 -H
	wait_for churn_ready /tmp/old
	[ "$(rdma -j res show qp | jq length)" -gt 24 ] || fail "too few QPs to look at"

	module_on
	expect_equal_tables
	expect "QPs in the kernel's log" "$(dmesg | sed -n 's/.*scalefabric: rxe0: \([0-9]*\) QPs.*/\1/p' |
		tail -n 1)" "$(wc -l </tmp/table.rdma)"
	expect "creation times of old QPs" \
		"$(sfnl -dj qp show | jq '[.[] | select(."create-time")] | length')" 0

	kill "$churn"
	churn_end /tmp/old
	wait_for only_kernel_qps
	expect_equal_tables
}

# Each round leaves QPs in all states behind, to compare while nothing moves.
test_churn() {
	local round created=0

	module_on
	for round in {1..5}; do
		churn_start /tmp/churn -n 500 -m 64 -H
		wait_for churn_ready /tmp/churn
		expect_equal_tables
		kill "$churn"
		churn_end /tmp/churn
		created=$((created + $(jq 'select(.created).created' /tmp/churn)))
	done
	[ "$created" -ge 2000 ] || fail "only $created QPs created"
	wait_for only_kernel_qps
	expect_equal_tables
	expect "records lost" "$(lost)" 0
	expect "untracked QPs" "$(sfnl -j dev show rxe0 | jq '.[0].untracked')" 0
}

lqpns_of() { jq '.[].lqpn' | sort; }

# A QP that is there before and after must be in between; one that is in between must
# be there before or after, but for those whose whole life was in between.
test_dump_amid_churn() {
	local round

	module_on
	# One thread, so that a slow machine has time left for the tools.
	churn_start /tmp/churn -n 4294967295 -m 64 -P 1 -t 1
	for round in {1..5}; do
		rdma -j res show qp | lqpns_of >/tmp/before
		sfnl -j qp show | lqpns_of >/tmp/between
		rdma -j res show qp | lqpns_of >/tmp/after
		expect "QPs missing in round $round" \
			"$(comm -12 /tmp/before /tmp/after | comm -23 - /tmp/between)" ""
		expect "QPs twice in round $round" "$(uniq -d /tmp/between)" ""
	done
	kill "$churn"
	churn_end /tmp/churn
	wait_for only_kernel_qps
	expect "QPs left in the table" "$(sfnl -j qp show comm qp_churn | jq length)" 0
}

# What rdma does not know is compared with the application and the wire.
test_attributes() {
	local before i label sport

	module_on
	before=$(date +%s%N)
	watch_start -q 4 -l 1,2,3,0x80005
	for i in 0 1 2 3; do
		label=$((i == 3 ? 0x80005 : i + 1))
		sport=$((0xc000 | ((label & 0x3fff) ^ (label >> 14))))
		expect "QP ${lqpns[i]}" "$(qp "${lqpns[i]}" '[.type, .state, .port, .rqpn, .sgid,
			.dgid, ."flow-label", ."udp-sport", ."path-mtu", .pid, .comm] | @csv')" \
			"$(jq -rn "[\"RC\", \"RTS\", 1, ${rqpns[i]}, \"::ffff:$(address_of A)\",
			\"::ffff:$PEER\", $label, $sport, 1024, $watch_client, \"qp_watch\"] | @csv")"
	done
	expect "modifies" "$(sfnl -dj qp show comm qp_watch | jq -c '[.[].modifies] | unique')" "[3]"
	sfnl -dj qp show comm qp_watch | jq -e --argjson from "$before" --argjson to "$(date +%s%N)" \
		'all(.[]; ."create-time" >= $from and ."create-time" <= $to)' >/dev/null ||
		fail "creation times are not of now"

	# shellcheck disable=SC2086 # a list
	wire_watch -n 400 $planes >/tmp/wire
	for i in 0 1 2 3; do
		expect "port and lane of QP ${lqpns[i]} on the wire" \
			"$(jq -rc "[.flows[] | select(.rqpn == ${rqpns[i]}) | .sport, .dev]" /tmp/wire)" \
			"$(qp "${lqpns[i]}" '[."udp-sport", ."lane-name"] | tostring')"
	done
	watch_stop
}

test_filters() {
	local all some

	module_on
	watch_start -q 3 -l 1,2,3
	all=$(count_qps)
	for some in "pid $watch_client:3" "comm qp_watch:3" "type GSI:1" "state RTS:$all" \
		"lqpn ${lqpns[1]}:1" "lane 1:1" "lane plane0:2" "pid 1:0" "state RESET:0" \
		"dev rxe0:$all" "type RC lane 0 state RTS:2"; do
		# shellcheck disable=SC2086 # words
		expect "QPs with ${some%:*}" "$(sfnl -j qp show ${some%:*} | jq length)" "${some#*:}"
	done
	watch_stop
}

run_tests test_qps_older_than_the_module test_churn test_dump_amid_churn \
	test_attributes test_filters
