#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Asynchronous events: the one that rxe raises, and all of them raised in the driver's
# place (tests/kmod/sf_inject.c). Each must come once, in order, in four ways: netlink,
# tracepoint, counts in the table, and for errors one line in the kernel's log.
#
# bed: two-planes
# timeout: 600
# allow: Fatal error .* on MAD QP

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

all_events="QP_FATAL QP_REQ_ERR QP_ACCESS_ERR COMM_EST SQ_DRAINED PATH_MIG PATH_MIG_ERR QP_LAST_WQE_REACHED"
error_events="QP_FATAL QP_REQ_ERR QP_ACCESS_ERR PATH_MIG_ERR"

# Their names in the specification: QP_REQ_ERR is req-err.
spec_names() { sed 's/\<QP_//g' <<<"$*" | tr A-Z_ a-z-; }

tracing=/sys/kernel/tracing

listen() {
	sfnl -j monitor event >/tmp/monitor &
	monitor=$!
	echo 1 >$tracing/events/scalefabric/sf_qp_event/enable
	echo >$tracing/trace
	wait_for listens
}

# It tells its socket's group membership nowhere but here.
listens() { awk -v pid="$monitor" '$3 == pid && $4 != "00000000"' /proc/net/netlink | grep -q .; }

# What was heard, "LQPN EVENT" a line, by either way.
told_by_netlink() {
	jq -r 'select(.notification == "event") | "\(.lqpn) \(.event)"' /tmp/monitor
}

told_by_trace() {
	spec_names "$(sed -n 's/.*sf_qp_event: .* lqpn=\([0-9]*\) .* event=\([A-Z_]*\)$/\1 \2/p' \
		$tracing/trace)"
}

heard() { # HOW COUNT
	[ "$("$1" | wc -l)" -ge "$2" ]
}

# hears WANTED: both ways said exactly that
hears() {
	local how

	for how in told_by_netlink told_by_trace; do
		wait_for heard $how "$(wc -l <<<"$1")"
		diff <(echo "$1") <($how) || fail "$how is not what was raised (<)"
	done
}

count_of() { counts "$1" | jq ".\"$(spec_names "$2")\" // 0"; }
counts() { sfnl -dj qp show dev rxe0 lqpn "$1" | jq -c '.[0].events'; }

log_lines() { dmesg | grep -c "scalefabric: rxe0: QP $1 " || true; }

test_sq_drained_as_rxe_raises_it() {
	module_on
	listen
	qp_drain -d rxe0 -n 5 -s >/tmp/drain &
	wait_for grep_count 5 SQ_DRAINED /tmp/drain
	qpn=$(jq -n 'input.lqpn' /tmp/drain)
	hears "$(for i in {1..5}; do echo "$qpn sq-drained"; done)"
	expect "counts" "$(counts "$qpn")" '{"sq-drained":5}'
	expect "last event" "$(sfnl -dj qp show dev rxe0 lqpn "$qpn" | jq -r '.[0].event')" sq-drained
	expect "lines in the log" "$(log_lines "$qpn")" 0
	expect "modifies" "$(sfnl -dj qp show dev rxe0 lqpn "$qpn" | jq '.[0].modifies')" 13
}

grep_count() { [ "$(grep -c "$2" "$3")" = "$1" ]; }

# In mode balance as well: an SQD of the owner's own is not ours to hide.
test_owner_drains_in_mode_balance() {
	module_on
	mode balance
	listen
	qp_drain -d rxe0 -n 5 >/tmp/drain
	expect "drains" "$(grep -c SQ_DRAINED /tmp/drain)" 5
	wait_for heard told_by_netlink 5
	mode observe
}

# inject_all CONTEXT
inject_all() {
	local event

	for event in $all_events; do
		inject "$qpn" "$event" 1 "$1"
	done
}

# The QP stays as it is: the application sees the events, and goes on.
test_every_event_in_every_context() {
	local context event

	module_on
	watch_start -q 2 -l 2
	qpn=${lqpns[1]}
	listen
	for context in process softirq hardirq; do
		inject_all $context
	done
	hears "$(for context in 1 2 3; do
		for event in $(spec_names "$all_events"); do echo "$qpn $event"; done
	done)"
	for event in $all_events; do
		expect "count of $event" "$(count_of "$qpn" "$event")" 3
		expect "events that the application saw" \
			"$(jq "[.events[] | select(.event == \"$event\" and .lqpn == $qpn)] | length" \
			"$status")" 3
	done
	expect "events of the other QP" "$(counts "${lqpns[0]}")" null
	expect "details of a notification" \
		"$(jq -c '[.ifname, .rqpn, .type, .pid, .comm, .dgid]' /tmp/monitor | uniq)" \
		"[\"rxe0\",${rqpns[1]},\"RC\",$watch_client,\"qp_watch\",\"::ffff:$PEER\"]"
	kill "$watch_client"
}

test_log_tells_errors_only() {
	local event line

	module_on
	watch_start -q 1 -l 2
	qpn=${lqpns[0]}
	for event in $all_events; do
		inject "$qpn" "$event"
	done
	wait_for log_has 4
	expect "events in the log" \
		"$(dmesg | sed -n "s/.*scalefabric: rxe0: QP $qpn (.*): \([A-Z_]*\)$/\1/p" | xargs)" \
		"$error_events"
	line=$(dmesg | grep "scalefabric: rxe0: QP $qpn " | head -n 1)
	for event in RC "peer ${rqpns[0]}" "::ffff:$PEER" "pid $watch_client" qp_watch; do
		[[ $line = *"$event"* ]] || fail "no '$event' in: $line"
	done
	kill "$watch_client"
}

log_has() { [ "$(log_lines "$qpn")" -ge "$1" ]; }

# Many errors make few lines.
test_log_is_limited() {
	local before

	module_on
	watch_start -q 1 -l 2
	qpn=${lqpns[0]}
	inject "$qpn" QP_FATAL 500
	wait_for counted QP_FATAL 500
	[ "$(log_lines "$qpn")" -le 50 ] || fail "$(log_lines "$qpn") lines for 500 errors"
	kill "$watch_client"
}

counted() { [ "$(count_of "$qpn" "$1")" -ge "$2" ]; }

# A burst larger than the ring, with interrupts off, so that no one can empty it.
test_full_ring_tells_what_it_lost() {
	local got

	module_on ring_size=16
	watch_start -q 1 -l 2
	qpn=${lqpns[0]}
	sfnl -j monitor event >/tmp/monitor &
	monitor=$!
	wait_for listens
	inject "$qpn" COMM_EST 1000 hardirq
	# Not before the ring has room again.
	wait_for counted COMM_EST 16
	inject "$qpn" SQ_DRAINED
	wait_for counted SQ_DRAINED 1
	got=$(count_of "$qpn" COMM_EST)
	((got >= 16 && got < 1000)) || fail "$got of 1000 events from a ring of 16"
	expect "delivered and lost" $((got + $(lost))) 1000
	wait_for told_of_loss $((1000 - got))
	kill "$watch_client"
	module_off
}

told_of_loss() {
	jq -en --argjson n "$1" '[inputs | select(.notification == "lost").records] | add == $n' \
		/tmp/monitor >/dev/null
}

test_lifecycle_tracepoints() {
	local event lqpn

	module_on
	for event in sf_qp_create sf_qp_modify sf_qp_destroy sf_qp_rebind; do
		echo 1 >$tracing/events/scalefabric/$event/enable
	done
	mode balance
	echo >$tracing/trace
	watch_start -q 1 -l 2
	lqpn=${lqpns[0]}
	rebind "$lqpn" lane 1
	watch_stop
	wait_for grep -q sf_qp_destroy $tracing/trace
	# A move that did not drain in time is tried again.
	expect "what happened to QP $lqpn" \
		"$(sed -n "s/.*: \(sf_qp_[a-z]*\): .* lqpn=$lqpn .* state=\([A-Z]*\) .*/\1 \2/p" \
		$tracing/trace | uniq)" "sf_qp_create RESET
sf_qp_modify INIT
sf_qp_modify RTR
sf_qp_modify RTS
sf_qp_rebind RTS
sf_qp_destroy RTS"
	mode observe
	echo 0 >$tracing/events/scalefabric/enable
}

test_monitor_of_qps() {
	module_on
	sfnl -j monitor qp >/tmp/monitor &
	monitor=$!
	wait_for listens
	qp_many -d rxe0 -n 1 -i >/tmp/many &
	many=$!
	wait_for grep -q ready /tmp/many
	kill $many
	wait $many
	wait_for grep_count 3 notification /tmp/monitor
	expect "changes" "$(jq -r 'select(.comm == "qp_many") | "\(.change) \(.state)"' \
		/tmp/monitor | xargs)" "created RESET modified INIT destroyed INIT"
}

run_tests test_sq_drained_as_rxe_raises_it test_owner_drains_in_mode_balance \
	test_every_event_in_every_context test_log_tells_errors_only test_log_is_limited \
	test_full_ring_tells_what_it_lost test_lifecycle_tracepoints test_monitor_of_qps
