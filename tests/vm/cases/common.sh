# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# What the cases share: the module and its mode, the application under watch, and
# tables to compare. A case sources this file and nothing else.

# shellcheck source=../lib/ktap.sh
. "$SF_TOP/tests/vm/lib/ktap.sh"

module_loaded() { [ -e /sys/module/scalefabric ]; }

# Each test says what it starts from. Parameters make it load anew.
module_on() {
	[ $# = 0 ] || module_off
	module_loaded || load_module "$@"
}

module_off() { unload_module; }

# mode observe|balance: of rxe0, if there is one
mode() {
	[ ! -e /sys/class/infiniband/rxe0 ] || sfnl dev set rxe0 mode "$1"
}

# inject QPN EVENT [COUNT [CONTEXT]]: raise it as the driver of rxe0 would
inject() {
	load_test_module sf_inject
	echo "rxe0 $*" >/sys/module/sf_inject/parameters/raise
}

# The rxe of Linux 6.1 moves a QP through SQD and so drains it; newer ones do not.
rxe_drains() { [[ $SF_RELEASE = 6.1.* ]]; }

# rebind LQPN WHERE...: of rxe0; prints the answer, as JSON. A machine that stalls may not
# drain in time: then the QP is where it was, and it is tried again.
rebind() { wait_for try_to_rebind "$@"; }

try_to_rebind() {
	local answer

	if answer=$(sfnl -j qp rebind dev rxe0 lqpn "$@" 2>&1); then
		echo "$answer"
	elif [[ $answer = *"Timer expired"* ]]; then
		return 1
	else
		fail "rebind of QP $*: $answer"
	fi
}

# field FILE EXPRESSION: of a JSON file
field() { jq -r "$2" "$1"; }

# qp LQPN EXPRESSION: what sfnl says of a QP of rxe0
qp() { sfnl -j qp show dev rxe0 lqpn "$1" | jq -r ".[0] | $2"; }

# lost: records that the module lost
lost() { sfnl -j version | jq '.[0].lost'; }

# The application: qp_watch between this host and B. Flow labels 2, 3, 6, 7 lead to
# plane0 and 1, 4, 5 to plane1 with the beds' addresses; a test still looks for itself.
#
# It asks its QPs all the time, but not where that would take all of the machine.
watch_pause=$((SF_SLOW > 1 ? 20000 : 0))

# watch_start [OPTION...]: the client's. Its running report is $status, the last
# reports are $client and $server after watch_stop. Limits of the transport are wide,
# as a machine without KVM may stall for seconds.
watch_start() {
	client=$SF_SHARE/watch.$BASHPID.client
	server=$SF_SHARE/watch.$BASHPID.server
	status=/tmp/watch.$BASHPID.status
	rm -f "$client" "$server" "$status"
	on B "$SF_TOP/build/tests/qp_watch -d rxe0 -p $watch_pause >$server" &
	watch_server=$!
	qp_watch -d rxe0 -p $watch_pause -S "$status" "$@" "$PEER_MGMT" >"$client.end" &
	watch_client=$!
	wait_for watch_moves 10
	mapfile -t lqpns < <(jq '.qps[].lqpn' "$status")
	mapfile -t rqpns < <(jq '.qps[].rqpn' "$status")
}

# Without a process, as it is asked all the time.
watch_writes() {
	local report

	report=$(<"$status")
	[[ $report =~ '"writes": '([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
}

# Every QP has done that many writes.
watch_moves() { [ -s "$status" ] && jq -e "all(.qps[]; .writes >= $1)" "$status" >/dev/null; }

# The application goes on: as many writes again as the argument says.
watch_goes_on() {
	local now

	now=$(watch_writes)
	wait_for watch_beyond $((now + ${1:-50}))
}

watch_beyond() { [ "$(watch_writes)" -ge "$1" ]; }

# End it, and the application must have noticed nothing at either end.
watch_stop() {
	kill "$watch_client"
	wait "$watch_client" || true
	wait "$watch_server" || true
	mv "$client.end" "$client"
	watch_is_well "$client"
	watch_is_well "$server"
}

watch_is_well() {
	[ -s "$1" ] || fail "no report from ${1##*.}"
	jq -e '.ok and .bad_completions == 0 and .bad_slots == 0 and .qp_events == 0 and
	       .queries > 0 and .queries_failed == 0 and .queries_not_rts == 0' "$1" >/dev/null ||
		fail "the ${1##*.} noticed something: $(cat "$1")"
}

# lanes_on_wire [PACKETS]: "QPN PLANE" of each QP whose packets leave, by looking at
# the packets. QPN is the peer's.
lanes_on_wire() {
	# shellcheck disable=SC2086 # a list
	wire_watch -n "${1:-200}" $planes |
		jq -r '[.flows[] | {rqpn, dev}] | unique | .[] | "\(.rqpn) \(.dev)"' | sort -n
}

# all_on_plane N: of the QPs of watch_start
all_on_plane() {
	local rqpn wanted=''

	for rqpn in "${rqpns[@]}"; do
		wanted+="$rqpn plane$1"$'\n'
	done
	[ "$(lanes_on_wire 200)" = "$(sort -n <<<"${wanted%$'\n'}")" ]
}

# rdma shows the thread that created a QP, we show its process.
processes_of() { # THREAD...
	local tid word value map='' comma=''

	for tid; do
		while read -r word value; do
			[ "$word" != Tgid: ] || map+="$comma\"$tid\": $value" comma=', '
		done <"/proc/$tid/status" || true
	done 2>/dev/null
	echo "{$map}"
}

# One line for each QP: device, lqpn, type, state, pid, comm, peer.
table='map([.ifname, .lqpn, .type, .state, .pid // 0, .comm, .rqpn // 0]) | sort[] | @tsv'
# rdma's threads are told apart from processes by this map.
processes='map(if .pid then .pid = ($map[.pid | tostring] // .pid) else . end)'

table_of_rdma() {
	local pids

	rdma -j res show qp >/tmp/rdma.json
	pids=$(jq '[.[].pid // empty] | unique | .[]' /tmp/rdma.json)
	# shellcheck disable=SC2086 # numbers
	jq -r --argjson map "$(processes_of $pids)" "$processes | $table" /tmp/rdma.json
}

table_of_sfnl() { sfnl -j qp show | jq -r "$table"; }

# Where a driver changed a state by itself the table knows it within seconds.
tables_equal() {
	table_of_rdma >/tmp/table.rdma
	table_of_sfnl >/tmp/table.sfnl
	[ "$(</tmp/table.rdma)" = "$(</tmp/table.sfnl)" ]
}

expect_equal_tables() {
	wait_for -t "${1:-20}" tables_equal && return
	echo "rdma res show qp (<) and sfnl qp show (>) differ:"
	diff /tmp/table.rdma /tmp/table.sfnl
	return 1
}

count_qps() { sfnl -j qp show | jq length; }

# Nobody but ib_core has QPs left.
only_kernel_qps() { [ "$(rdma -j res show qp | jq '[.[] | select(.pid)] | length')" = 0 ]; }

# refused ERRNO-TEXT MESSAGE COMMAND...: sfnl fails with both, exit code 3
refused() {
	local errno=$1 message=$2 output code=0

	shift 2
	output=$("$@" 2>&1) || code=$?
	[ "$code" = 3 ] || fail "exit code $code, expected 3: $*: $output"
	[[ $output = *"$message"* ]] || fail "no '$message' from $*: $output"
	[[ $output = *"$errno"* ]] || fail "no '$errno' from $*: $output"
}
