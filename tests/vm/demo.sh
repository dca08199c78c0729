#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# What scripts/demo runs on host A; B serves. Bandwidth is that of the network
# devices, errors are what the applications say: nothing is taken from the module's
# own word.

set -euo pipefail
# shellcheck source=cases/common.sh
. "$SF_TOP/tests/vm/cases/common.sh"
# shellcheck source=lib/results.sh
. "$SF_LIB/results.sh"

span=5			# seconds of a measurement

title() { printf '\n=== %s\n' "$*"; }

# Show a command, then run it.
run() {
	echo "# $*"
	"$@"
}

# seconds since the start, with two digits
clock() {
	local t=$((($(now) - started) / 10000))

	printf '%d.%02d' $((t / 100)) $((t % 100))
}

moment() { echo "$(clock),$*" >>"$SF_SHARE/moments"; }

# Both planes' bandwidth, every half second, until killed.
sample_planes() {
	local last time a b last_a last_b

	last=$(now) last_a=$(plane_bytes 0 tx) last_b=$(plane_bytes 1 tx)
	while sleep 0.5; do
		time=$(now) a=$(plane_bytes 0 tx) b=$(plane_bytes 1 tx)
		awk -v t="$(clock)" -v d=$((time - last)) -v a=$((a - last_a)) \
			-v b=$((b - last_b)) 'BEGIN { printf "%s,%.2f,%.2f\n", t, a * 8 / d, b * 8 / d }'
		last=$time last_a=$a last_b=$b
	done >>"$SF_SHARE/planes.csv"
}

# measure [SECONDS]: mean Mbit/s of plane 0, of plane 1 and of both
measure() {
	local start a b d

	start=$(now) a=$(plane_bytes 0 tx) b=$(plane_bytes 1 tx)
	sleep "${1:-$span}"
	d=$(($(now) - start)) a=$(($(plane_bytes 0 tx) - a)) b=$(($(plane_bytes 1 tx) - b))
	awk -v a=$a -v b=$b -v d=$d \
		'BEGIN { printf "%.1f %.1f %.1f\n", a * 8 / d, b * 8 / d, (a + b) * 8 / d }'
}

qps_of() { # COMM EXPRESSION
	sfnl -j qp show comm "$1" type RC state RTS | jq -r ".[] | $2"
}

ready() { # COMM COUNT
	[ "$(qps_of "$1" .lqpn | wc -l)" = "$2" ]
}

# rebind LQPN PLANE: where the driver has to drain the send queue first, that may end
# in a timeout, with the QP as before; then once more. The answer is in /tmp/moved.
rebind() {
	local try

	for try in 1 2 3; do
		echo "# sfnl qp rebind dev rxe0 lqpn $1 lane $2"
		if sfnl -j qp rebind dev rxe0 lqpn "$1" lane "$2" >/tmp/moved; then
			jq -r '.[0] | "QP \(.lqpn): lane \(."old-lane") -> \(.lane), " +
				"UDP source port \(."udp-sport"), " +
				"paused for \(.window / 1e6 * 10 | round / 10) ms"' /tmp/moved
			return
		fi
	done
	return 1
}

# Hashing is chance; the demo arranges for bad luck.
crowd_on_plane0() {
	local lqpn

	for lqpn in $(qps_of "$1" 'select(."lane-name" != "plane0") | .lqpn'); do
		rebind "$lqpn" plane0
	done
}

started=$(now)
: >"$SF_SHARE/planes.csv"
: >"$SF_SHARE/moments"
echo "$SF_RELEASE" >"$SF_SHARE/release"

title "Two hosts, two planes, bonded, soft-RoCE on the bond"
run load_module
before=$SECONDS
run sfnl dev show
run sfnl lane show
run sfnl dev set rxe0 mode balance drain-timeout 900

title "Applications: ib_write_bw with 4 QPs, and one that watches its QP all the time"
# ib_write_bw must outlast all that follows, on slow machines too.
seconds=$((60 + 15 * (SECONDS - before)))
# Both poll without a pause, and processors are few here: nice. By exec, so that it is the
# program that watch_stop ends.
qp_watch() { exec nice -n 15 "$SF_TOP/build/tests/qp_watch" "$@"; }
# It writes little, reads its QP's state and waits for events without a pause.
watch_start -q 1 -l 2 -s 256 -D 1 -p 5000
bw="ib_write_bw -d rxe0 -x 1 -q 4 -t 8 -s 4096 -u 20 -D $seconds -p 18516"
on B "$bw" >/tmp/bw.server 2>&1 &
bw_server=$!
wait_for on B "ss -Hltn 'sport = 18516' | grep -q ."
echo "# $bw $PEER_MGMT &"
# shellcheck disable=SC2086 # a list of words
nice -n 15 $bw "$PEER_MGMT" >/tmp/bw.client 2>&1 &
bw_client=$!
wait_for ready ib_write_bw 4
sample_planes &
sampler=$!
sfnl monitor event rebind >/tmp/monitor &
monitor=$!

# The machines may be emulated, and slow: a plane shall be what is scarce, not they.
read -r _ _ most < <(measure 3)
rate=$(awk "BEGIN { r = int($most * 0.4); print (r > 1 ? r : 1) }")
set_rate "$rate"
moment "planes limited to $rate Mbit/s"
echo "without limits: $most Mbit/s; from now on each plane carries $rate Mbit/s"

title "All four on plane 0: it is full, the other idles"
crowd_on_plane0 ib_write_bw
run sfnl qp show
sleep 2
read -r before0 before1 before < <(measure)
echo "plane 0: $before0 Mbit/s   plane 1: $before1 Mbit/s   total: $before Mbit/s"

title "Move two of them, and the watcher, while they run"
moment "two of four QPs moved"
windows=()
for lqpn in $(qps_of ib_write_bw .lqpn | head -n 2) "${lqpns[0]}"; do
	rebind "$lqpn" plane1
	windows+=("$(jq '.[0].window / 1e6' /tmp/moved)")
done
sleep 2
read -r after0 after1 after < <(measure)
kill -0 $bw_client || fail "ib_write_bw ended before it was measured"
run sfnl qp show
echo "plane 0: $after0 Mbit/s   plane 1: $after1 Mbit/s   total: $after Mbit/s"

title "An asynchronous event of a QP: a program that drains its own send queue"
run qp_drain -d rxe0
wait_for grep -q sq-drained /tmp/monitor
grep -i sq-drained /tmp/monitor

title "What the applications say"
wait $bw_client && bw_code=0 || bw_code=$?
wait $bw_server || bw_code=$?
echo "ib_write_bw: exit code $bw_code"
watch_stop
jq -r '"the watcher: \(.writes) writes, \(.bad_completions) errors, \(.qp_events) events seen, " +
	"\(.queries) queries, \(.queries_not_rts) of them not RTS"' "$client"
kill $sampler $monitor
run sfnl dev set rxe0 mode observe
run rmmod scalefabric

result "rate of a plane" "$rate" "Mbit/s"
result "total before" "$before" "Mbit/s"
result "total after" "$after" "Mbit/s"
result "total after / before" "$(ratio "$after" "$before")" "" ">= 1.7"
result "exit code of ib_write_bw" "$bw_code" "" "= 0" "== 0"
result "errors of the watching application" "$(field "$client" .bad_completions)" "completions" "= 0" "== 0"
result "events that it saw" "$(field "$client" .qp_events)" "events" "= 0" "== 0"
result "queries that saw another state than RTS" "$(field "$client" .queries_not_rts)" "queries" "= 0" "== 0"
result "events captured of a QP that drains itself" "$(grep -ci sq-drained /tmp/monitor)" "events" ">= 1"
result "longest pause of a QP that was moved" \
	"$(printf '%s\n' "${windows[@]}" | sort -g | tail -n 1 | xargs printf '%.1f')" \
	"ms (emulated)" "<= 900"
write_results
release
