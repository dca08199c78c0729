#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# What scripts/bench runs on host A; B serves. What is compared alternates within one
# run, so that a machine that grows slower meanwhile harms both sides.

set -euo pipefail
# shellcheck source=cases/common.sh
. "$SF_TOP/tests/vm/cases/common.sh"
# shellcheck source=lib/results.sh
. "$SF_LIB/results.sh"

rounds=3
qps=10000
rebinds=60

# The three states that a host may be in.
states="unloaded observe balance"
set_state() {
	case $1 in
	unloaded) module_off ;;
	observe) module_on; mode observe ;;
	balance) module_on; mode balance ;;
	esac
}

# in_each_state WHAT COMMAND: COMMAND prints a number; the sums go to sum[STATE]
declare -A sum
in_each_state() {
	local round state value

	sum=([unloaded]=0 [observe]=0 [balance]=0)
	for ((round = 1; round <= rounds; round++)); do
		for state in $states; do
			set_state "$state"
			value=$("$2")
			echo "$1, round $round, $state: $value"
			sum[$state]=$((sum[$state] + value))
		done
	done
	module_off
}

# took COMMAND...: microseconds
took() {
	local start

	start=$(now)
	"$@" >/dev/null
	echo $(($(now) - start))
}

life_of_qps() { took qp_churn -d rxe0 -n 2000 -m 16 -P 1 -t 1 -s 1 -x rc 2>/dev/null; }

bench_life() {
	in_each_state "2000 QPs live and die (us)" life_of_qps
	result "life of a QP, observe / unloaded" "$(ratio "${sum[observe]}" "${sum[unloaded]}")" ""
	result "life of a QP, balance / unloaded" "$(ratio "${sum[balance]}" "${sum[unloaded]}")" ""
}

bytes_on_the_wire() {
	local before

	before=$(($(plane_bytes 0 tx) + $(plane_bytes 1 tx)))
	sleep 4
	echo $(($(plane_bytes 0 tx) + $(plane_bytes 1 tx) - before))
}

# No packet passes through the module, whatever its mode.
bench_traffic() {
	watch_start -q 4 -l 2,1 -s 4096 -p 100000
	in_each_state "bytes on the wire in 4 s" bytes_on_the_wire
	watch_stop
	result "bytes on the wire, observe / unloaded" "$(ratio "${sum[observe]}" "${sum[unloaded]}")" ""
	result "bytes on the wire, balance / unloaded" "$(ratio "${sum[balance]}" "${sum[unloaded]}")" ""
}

many_ready() { grep -q ready /tmp/many; }

bench_dump() {
	local round sfnl=0 rdma=0 load many

	: >/tmp/many
	qp_many -d rxe0 -n $qps >/tmp/many &
	many=$!
	wait_for -t 300 many_ready
	load=$(took load_module)
	for ((round = 1; round <= rounds; round++)); do
		sfnl=$((sfnl + $(took sfnl qp show)))
		rdma=$((rdma + $(took rdma res show qp)))
	done
	result "QPs in a dump" "$(sfnl -j qp show type RC | jq length)" "" "= $qps" "== $qps"
	result "time to show them, sfnl / rdma" "$(ratio $sfnl $rdma)" ""
	result "time to load beside them / to show them" "$(ratio "$load" $((sfnl / rounds)))" ""
	kill "$many"
	wait "$many"
	module_off
}

# bench_rebind: under traffic, at a rate that no plane is full with
bench_rebind() {
	local i

	module_on
	mode balance
	sfnl dev set rxe0 drain-timeout 900
	watch_start -q 1 -l 2 -s 1024 -D 8
	for ((i = 1; i <= rebinds; i++)); do
		rebind "${lqpns[0]}" lane $((i % 2)) | jq '.[0].window'
	done | sort -n >/tmp/windows
	watch_stop
	mode observe
	result "rebinds under traffic" "$(wc -l </tmp/windows)" "" "= $rebinds" "== $rebinds"
	result "errors of the application" "$(field "$client" .bad_completions)" "" "= 0" "== 0"
	result "pause of a moved QP, median" "$(window_at 50)" "us"
	result "pause of a moved QP, longest" "$(window_at 100)" "us"
}

# window_at PERCENT: so many of the windows were not longer; in microseconds
window_at() {
	awk -v p="$1" '{ w[NR] = $1 } END { printf "%.0f", w[int((NR * p + 99) / 100)] / 1000 }' \
		/tmp/windows
}

echo "$SF_RELEASE" >"$SF_SHARE/release"
bench_life
bench_traffic
bench_dump
bench_rebind
write_results
release
