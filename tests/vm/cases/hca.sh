#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# The software HCA (tests/kmod/hca): what it shows of itself, and that it can be
# brought into every state that other tests need. Witnesses are ib_core (rdma,
# sysfs), libibverbs (ibv_devinfo, ibv_asyncwatch, hca_qp) and scalefabric.
#
# bed: two-planes
# timeout: 300
# kernels: 6.1 6.12
# allow: Fatal error .* on MAD QP

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

add=/sys/module/sf_hca/parameters/add
remove=/sys/module/sf_hca/parameters/remove
hca=/sys/class/infiniband/hca0/hca
ports=/sys/class/infiniband/hca0/ports

all_events="QP_FATAL QP_REQ_ERR QP_ACCESS_ERR COMM_EST SQ_DRAINED PATH_MIG PATH_MIG_ERR QP_LAST_WQE_REACHED"

# libibverbs finds the provider by this; nothing of it stays after the run.
echo "driver $SF_TOP/build/tests/libsf_hca" >/etc/libibverbs.d/sf_hca.driver

# hca_up PORTS ib|eth [OPTION...]: a new hca0 and no other
hca_up() {
	hca_down
	load_test_module sf_hca
	echo "hca0 $*" >$add
}

hca_down() {
	[ ! -e /sys/module/sf_hca ] || rmmod sf_hca
}

# set_ FILE WORDS: of the device
set_() {
	local file=$hca/$1

	shift
	echo "$*" >"$file"
}

# line_of FILE WORD: what follows it in a table of the device
line_of() { sed -n "s/^$2 //p" "$hca/$1"; }

# writes_fail ERRNO-TEXT FILE WORDS...: the shell says what the kernel answered
writes_fail() {
	local wanted=$1 file=$2 output

	shift 2
	if output=$( (echo "$*" >"$file") 2>&1); then fail "$file took '$*'"; fi
	[[ $output = *"$wanted"* ]] || fail "'$*' to $file: $output, expected $wanted"
}

kernel_qps() { rdma -j res show qp link hca0 | jq -c "[.[] | select(.comm == \"sf_hca\") | $1]"; }

# qp_start [OPTION...]: an application with one QP, that does what it is asked
qp_start() {
	qp_stop
	rm -f /tmp/qp.in /tmp/qp.out
	mkfifo /tmp/qp.in /tmp/qp.out
	hca_qp -d hca0 "$@" </tmp/qp.in >/tmp/qp.out &
	qp_pid=$!
	exec {to_qp}>/tmp/qp.in {from_qp}</tmp/qp.out
	answer >/dev/null
}

qp_stop() {
	[ -n "${qp_pid-}" ] || return 0
	exec {to_qp}>&- {from_qp}<&-
	wait "$qp_pid"
	qp_pid=''
}

answer() {
	local line

	read -r line <&"$from_qp" && echo "$line"
}

ask() {
	echo "$*" >&"$to_qp"
	answer
}

# does COMMAND...: it must succeed
does() {
	local said

	said=$(ask "$@")
	[[ $said = *lqpn* ]] || fail "$*: $said"
}

# refuses ERRNO COMMAND...
refuses() {
	local wanted=$1

	shift
	expect "$*" "$(ask "$@")" "{\"errno\": \"$wanted\"}"
}

# told EXPRESSION WANTED: of a query
told() { expect "$1" "$(ask query | jq -c "$1")" "$2"; }
tells() { [ "$(ask query | jq -c "$1")" = "$2" ]; }

# qp_up [PORT [OPTION...]]: from nothing to RTS
qp_up() {
	local port=${1-1}

	qp_start "${@:2}"
	does create
	does init "$port"
	does rtr "$port" 77
	does rts
}

event_is() { expect "event" "$(ask event)" "{\"event\": \"$1\", \"lqpn\": ${2-0}}"; }

qpn() { rdma -j res show qp link hca0 | jq '[.[] | select(.pid)][0].lqpn'; }

# devinfo FIELD: of all ports, as libibverbs says
devinfo() { ibv_devinfo -d hca0 | awk -v f="$1:" '$1 == f { printf "%s ", $2 }'; }

test_infiniband() {
	hca_up 2 ib
	expect "ports" "$(rdma -j link show | jq -c \
		'[.[] | select(.ifname == "hca0") | [.port, .state, .physical_state, .lid]]')" \
		'[[1,"ACTIVE","LINK_UP",1],[2,"ACTIVE","LINK_UP",2]]'
	expect "link layers" "$(devinfo link_layer)" "InfiniBand InfiniBand "
	expect "states" "$(devinfo state)" "PORT_ACTIVE PORT_ACTIVE "
	expect "GID prefixes" "$(cut -d: -f1-4 $ports/*/gids/0 | sort -u)" fe80:0000:0000:0000
	expect "GUIDs" "$(cut -d: -f5-8 $ports/*/gids/0 | sort -u | wc -l)" 2
	expect "rate" "$(<$ports/2/rate)" "100 Gb/sec (4X EDR)"
	expect "driver by rdma" "$(rdma -j dev show hca0 | jq -r '.[0].node_type')" ca
	hca_up 8 ib
	expect "ports" "$(devinfo port | wc -w)" 8
	hca_down
}

test_ethernet() {
	local gid

	hca_down
	modprobe dummy
	ip link add dummy1 type dummy
	ip link add dummy2 type dummy
	ip link set dummy1 up
	ip link set dummy2 up
	ip address add 10.78.1.1/24 dev dummy1
	hca_up 2 eth netdev=dummy1,dummy2
	expect "link layers" "$(devinfo link_layer)" "Ethernet Ethernet "
	expect "network devices" "$(rdma -j link show | jq -c \
		'[.[] | select(.ifname == "hca0") | .netdev]')" '["dummy1","dummy2"]'
	wait_for grep -q 0a4e:0101 $ports/1/gids/*
	gid=$(grep -l 0a4e:0101 $ports/1/gids/*)
	qp_up 1 -g "${gid##*/}"
	told .state '"RTS"'
	qp_stop
	ip link delete dummy1
	expect "network devices" "$(rdma -j link show | jq -c \
		'[.[] | select(.ifname == "hca0") | .netdev]')" '[null,"dummy2"]'
	ip link delete dummy2
	hca_down
}

heard() { grep -q "event_type IBV_EVENT_$1 .* port 2" /tmp/async; }

test_ports() {
	hca_up 2 ib
	stdbuf -oL ibv_asyncwatch -d hca0 >/tmp/async &
	wait_for grep -qs "async event FD" /tmp/async

	echo down >$ports/2/hca/state
	wait_for heard PORT_ERR
	expect "states" "$(devinfo state)" "PORT_ACTIVE PORT_DOWN "
	expect "link downed" "$(<$ports/2/counters/link_downed)" 1
	echo up >$ports/2/hca/state
	wait_for heard PORT_ACTIVE

	echo 0x1234 >$ports/2/hca/lid
	wait_for heard LID_CHANGE
	expect "LIDs" "$(devinfo port_lid)" "1 4660 "
	echo 0xfec0000000000001 >$ports/2/hca/subnet_prefix
	# ib_core tells its clients of GIDs only on Ethernet.
	wait_for grep -q ^fec0:0000:0000:0001: $ports/2/gids/0
	expect "prefix by rdma" "$(rdma -j link show hca0/2 | jq -r '.[0].subnet_prefix')" \
		fec0:0000:0000:0001
	echo 3 0x8001 >$ports/2/hca/pkeys
	wait_for heard PKEY_CHANGE
	expect "P_Keys" "$(cat $ports/2/pkeys/{0,3} | xargs)" "0xffff 0x8001"

	echo 1024 >$ports/1/hca/mtu
	expect "MTUs" "$(devinfo active_mtu)" "1024 4096 "
	echo ndr 2 >$ports/1/hca/speed
	expect "rate" "$(<$ports/1/rate)" "200 Gb/sec (2X NDR)"
	kill %%
	wait %% || true
	hca_down
}

test_attributes() {
	hca_up 2 ib
	qp_start
	does create
	told '[.state, .wrs, .sges]' '["RESET",8,2]'
	does init 2
	told '[.state, .port, .pkey, .access]' '["INIT",2,1,2]'
	does rtr 2 77
	told '[.state, .dlid, .label, .sl, .class, .hops, .mtu]' '["RTR",2,77,3,32,64,2048]'
	told '[.rqpn, .rq_psn, .dest_rd, .min_rnr]' "[$(qpn),4711,3,12]"
	does rts
	told '[.state, .sq_psn, .timeout, .retry, .rnr, .rd]' '["RTS",4712,14,5,6,2]'
	does alt 1 5
	told '[.alt_port, .alt_label, .alt_timeout, .mig]' '[1,5,13,1]'
	expect "rdma" "$(rdma -j res show qp link hca0 | jq -c \
		'[.[] | select(.pid) | [.port, .type, .state, .["rq-psn"], .["sq-psn"]]][0]')" \
		'[2,"RC","RTS",4711,4712]'
	does ERR
	does RESET
	told '[.state, .rqpn, .label, .alt_port]' '["RESET",0,0,0]'
	does destroy

	qp_up 1 -t uc
	told '[.state, .rqpn, .timeout]' "[\"RTS\",$(qpn),0]"
	qp_up 1 -t ud
	told '[.state, .qkey, .port]' '["RTS",1600061441,1]'
	qp_stop
	hca_down
}

test_only_what_the_book_allows() {
	hca_up 2 ib
	qp_start
	does create
	refuses EINVAL rts
	refuses EINVAL rtr 1 1
	refuses EINVAL init 3
	does init 1
	refuses EINVAL rtr 2 1
	does rtr 1 1
	refuses EINVAL path 2 1
	does rts
	refuses EINVAL path 2 1
	refuses EINVAL port 2
	told '[.state, .port]' '["RTS",1]'
	set_ drain_ms never
	does sqd 0
	refuses EINVAL RTS
	refuses EINVAL path 2 1
	told '[.state, .draining, .port]' '["SQD",1,1]'
	does ERR
	refuses EINVAL RTS
	qp_stop
	hca_down
}

test_drain_and_move() {
	hca_up 2 ib
	set_ drain_ms 300
	qp_up
	does sqd 1
	told '[.state, .draining]' '["SQD",1]'
	event_is SQ_DRAINED "$(qpn)"
	told '[.state, .draining]' '["SQD",0]'
	refuses EINVAL port 3
	does path 2 99
	told '[.state, .port, .dlid, .label]' '["SQD",2,2,99]'
	expect "port by rdma" "$(rdma -j res show qp link hca0 | jq '[.[] | select(.pid)][0].port')" 2
	does RTS
	told '[.state, .port, .label]' '["RTS",2,99]'
	# The other one ib_uverbs refused.
	expect "calls of port" "$(line_of calls port)" 1
	expect "calls of av" "$(line_of calls av)" 0

	# Not asked for: no event.
	set_ drain_ms 0
	does sqd 0
	wait_for tells .draining 0
	expect "events" "$(ask count)" '{"events": 0}'
	does path 2 100
	expect "calls of av" "$(line_of calls av)" 1
	does RTS

	set_ drain_ms never
	does sqd 1
	told .draining 1
	set_ drained "$(qpn)"
	event_is SQ_DRAINED "$(qpn)"
	writes_fail Invalid $hca/drained "$(qpn)"
	does RTS
	# Long before its time.
	set_ drain_ms 3600000
	does sqd 1
	set_ drained "$(qpn)"
	event_is SQ_DRAINED "$(qpn)"
	does RTS
	qp_stop
	hca_down
}

test_failures() {
	local step

	hca_up 2 ib
	qp_start
	for step in create init rtr rts sqd port av query; do
		set_ fail $step 5 2
	done
	refuses EIO create
	refuses EIO create
	does create
	refuses EIO init 1
	refuses EIO query
	refuses EIO init 1
	refuses EIO query
	told .state '"RESET"'
	does init 1
	for step in "rtr 1 7" rts "sqd 1"; do
		refuses EIO "$step"
		refuses EIO "$step"
		does "$step"
	done
	event_is SQ_DRAINED "$(qpn)"
	for step in "path 2 8" "path 2 9"; do
		refuses EIO "$step"
		refuses EIO "$step"
		does "$step"
	done
	told '[.state, .port, .label]' '["SQD",2,9]'
	expect "calls of create" "$(line_of calls port)" 3
	expect "left to fail" "$(line_of fail av)" "5 0"
	for step in err destroy reset; do
		set_ fail $step 12 1
	done
	refuses ENOMEM ERR
	does ERR
	refuses ENOMEM RESET
	does RESET
	refuses ENOMEM destroy
	does destroy
	qp_stop
	hca_down
}

called() { [ "$(line_of calls "$1")" = "$2" ]; }

test_delay_and_hang() {
	local began

	hca_up 1 ib
	qp_start
	does create
	set_ delay init 500
	began=$EPOCHREALTIME
	does init 1
	[ $((${EPOCHREALTIME/./} - ${began/./})) -ge 500000 ] || fail "init took no time"

	set_ stick rtr 1
	echo rtr 1 1 >&"$to_qp"
	wait_for called rtr 3
	told_by_rdma INIT
	set_ stick rtr 0
	[[ $(answer) = *lqpn* ]] || fail "rtr did not go on"
	told .state '"RTR"'

	# Not even a signal that kills gets it out, but unplugging does.
	set_ stick err 1
	echo ERR >&"$to_qp"
	wait_for called err 1
	kill -KILL "$qp_pid"
	told_by_rdma RTR
	echo hca0 >$remove
	wait "$qp_pid" || true
	qp_pid=''
	hca_down
}

told_by_rdma() {
	expect "state by rdma" \
		"$(rdma -j res show qp link hca0 | jq -r '[.[] | select(.pid)][0].state')" "$1"
}

test_events() {
	local event context

	hca_up 1 ib
	qp_up
	for context in process softirq hardirq; do
		for event in $all_events; do
			set_ event "$(qpn)" "$event" 1 $context
			event_is "$event" "$(qpn)"
		done
	done
	for context in process softirq hardirq; do
		set_ event "$(qpn)" COMM_EST 100000 $context
		expect "events" "$(ask count)" '{"events": 100000}'
	done
	# ib_core has it for its own QP 1 of port 1.
	set_ event $((1 << 24 | 1)) COMM_EST
	qp_stop
	writes_fail "No such file" $hca/event 4242 QP_FATAL

	set_ kernel_qps create 1 rc RTS
	set_ event "$(kernel_qps .lqpn | jq '.[0]')" PATH_MIG 100000 hardirq
	expect "kernel's events" "$(<$hca/kernel_events)" 100000
	hca_down
}

test_device_breaks_a_qp() {
	local id

	hca_up 1 ib
	qp_up
	set_ fault "$(qpn)" ERR QP_FATAL softirq
	event_is QP_FATAL "$(qpn)"
	told .state '"ERR"'
	qp_up 1 -t ud
	id=$(qpn)
	set_ fault "$id" SQE
	told .state '"SQE"'
	expect "events" "$(ask count)" '{"events": 0}'
	does RTS
	set_ fault "$id" ERR
	told_by_rdma ERR
	qp_stop
	hca_down
}

# pma PORT COUNTER: as ib_core reads it by MADs
pma() { cat "$ports/$1/counters/$2"; }

test_counters() {
	hca_up 2 ib
	echo tx_bytes 4000 >$ports/2/hca/counters
	echo tx_bytes +40000000000 >$ports/2/hca/counters
	echo rx_packets 5000000000 >$ports/2/hca/counters
	echo symbol_errors 70000 >$ports/2/hca/counters
	expect "data" "$(pma 2 port_xmit_data)" 10000001000
	expect "packets" "$(pma 2 port_rcv_packets)" 5000000000
	expect "unicast" "$(pma 2 unicast_rcv_packets)" 5000000000
	expect "errors" "$(pma 2 symbol_error)" 65535
	expect "other port" "$(pma 1 port_xmit_data)" 0
	wait_for grep -qx 40000004000 $ports/2/hw_counters/tx_bytes
	expect "statistics" "$(rdma -j statistic show link hca0/2 | jq -c \
		'.[] | [.tx_bytes, .rx_packets]')" '[40000004000,5000000000]'

	hca_up 1 ib narrow
	[ ! -e $ports/1/counters/unicast_rcv_packets ] || fail "64-bit counters"
	echo tx_bytes 4000 >$ports/1/hca/counters
	expect "data" "$(pma 1 port_xmit_data)" 1000
	echo tx_bytes +40000000000 >$ports/1/hca/counters
	expect "data" "$(pma 1 port_xmit_data)" 4294967295
	hca_down
}

rdma_count() { rdma res show | awk '/hca0:/ { for (i = 1; i < NF; i++) if ($i == "qp") print $(i + 1) }'; }
qps_are() { [ "$(rdma_count)" = "$1" ]; }

test_many_qps() {
	local many=$((100000 / (SF_SLOW * SF_SLOW)))

	hca_up 2 ib
	set_ kernel_qps create $many rc RTS 2
	expect "QPs" "$(rdma_count)" $((many + 4))
	expect "last" "$(rdma -j res show qp lqpn $((many + 1)) | jq -c '.[0] | [.port, .state]')" '[2,"RTS"]'
	set_ kernel_qps modify SQD
	expect "SQ_DRAINED" "$(rdma -j res show qp lqpn $((many + 1)) | jq -r '.[0].state')" SQD
	wait_for grep -qx $many $hca/kernel_events
	set_ kernel_qps destroy
	qp_many -d hca0 -n $((many / 5)) -i &
	wait_for qps_are $((many / 5 + 4))
	# Numbers are not used again at once.
	expect "first" "$(qpn)" $((many + 2))
	kill %%
	wait %%
	expect "QPs" "$(rdma_count)" 4
	hca_down
}

gone() { [ ! -e /sys/class/infiniband/hca0 ]; }

test_unplugged_in_use() {
	hca_up 2 ib
	set_ kernel_qps create 1000 ud RTS
	qp_up
	echo hca0 >$remove
	gone || fail "hca0 is still there"
	event_is DEVICE_FATAL
	refuses EIO query
	# The same name is free again, while the application still holds the old one.
	echo hca0 2 ib >$add
	expect "QPs" "$(rdma_count)" 4
	qp_stop

	# Unloading is unplugging, too.
	qp_up
	hca_down
	event_is DEVICE_FATAL
	refuses EIO query
	qp_stop
}

test_bad_input() {
	local words before after

	hca_up 2 ib
	before=$(rdma dev show; cat $hca/{fail,delay,stick,drain_ms,kernel_qps} $ports/*/hca/*)
	for words in '' hca1 'hca1 2' 'hca1 0 ib' 'hca1 9 ib' 'hca1 2 xx' 'hca1 2 ib other' \
		'a/b 2 ib' 'hca%d 2 ib' 'hca0 2 ib' 'hca1 2 ib netdev=lo' 'hca1 2 eth netdev=' \
		"$(printf 'x%.0s' {1..64}) 2 ib"; do
		writes_fail Invalid $add "$words"
	done
	writes_fail Invalid $remove nothere
	writes_fail "No such device" $add hca1 1 eth netdev=nothere
	for words in 'fail init 5' 'fail init 0 1' 'fail init 4096 1' 'fail other 5 1' \
		'fail init 5 1 1' 'delay init' 'delay init 4000000' 'stick init 2' \
		'calls init' 'drain_ms x' 'drain_ms -2' 'drained x' 'event 2' \
		'event 2 PORT_ERR' 'event 2 QP_FATAL 0' 'event 2 QP_FATAL 1000001' \
		'event 2 QP_FATAL 1 nmi' 'fault 2' 'fault 2 RTS' 'fault 2 ERR OTHER' \
		'kernel_qps create 1 rc' 'kernel_qps create 0 rc RTS' \
		'kernel_qps create 1 xx RTS' 'kernel_qps create 1 rc SQE' \
		'kernel_qps create 1 rc RTS 3' 'kernel_qps modify' 'kernel_events -1'; do
		writes_fail Invalid "$hca/${words%% *}" "${words#* }"
	done
	for words in 'state on' 'lid 0' 'lid 0xc000' 'subnet_prefix x' 'pkeys 16 1' \
		'pkeys 1 65536' 'mtu 1500' 'speed edr 3' 'speed adr 4' 'counters other 1' \
		'counters tx_bytes -1' 'counters tx_bytes 1 1'; do
		writes_fail Invalid "$ports/1/hca/${words%% *}" "${words#* }"
	done
	after=$(rdma dev show; cat $hca/{fail,delay,stick,drain_ms,kernel_qps} $ports/*/hca/*)
	expect "state" "$after" "$before"
	hca_down
}

lanes() { sfnl -j lane show dev hca0 | jq -c "[.[] | $1]"; }
lanes_are() { [ "$(lanes "$1")" = "$2" ]; }

test_scalefabric_sees_it() {
	local id

	hca_up 3 ib
	set_ kernel_qps create 10 rc RTS 2
	qp_up 3
	id=$(qpn)
	module_on
	expect_equal_tables
	expect "lanes" "$(lanes '[.id, .port, .state, .speed, ."link-layer", .qps]')" \
		'[[0,1,"up",100000,"infiniband",2],[1,2,"up",100000,"infiniband",12],[2,3,"up",100000,"infiniband",3]]'
	echo down >$ports/3/hca/state
	wait_for lanes_are .state '["up","up","down"]'
	event_is PORT_ERR

	does sqd 1
	event_is SQ_DRAINED "$id"
	does path 1 99
	does RTS
	expect_equal_tables
	wait_for lanes_are .qps '[3,12,2]'
	expect "event" "$(sfnl -j qp show dev hca0 lqpn "$id" | jq -r '.[0].event')" sq-drained
	set_ event "$id" QP_REQ_ERR 5 hardirq
	wait_for sees_events "$id" req-err 5
	set_ fault "$id" ERR
	wait_for sees_state "$id" ERR
	expect_equal_tables
	expect "lost" "$(lost)" 0

	echo hca0 >$remove
	expect "QPs" "$(sfnl -j qp show | jq '[.[] | select(.ifname == "hca0")] | length')" 0
	event_is DEVICE_FATAL
	qp_stop
	module_off
	hca_down
}

sees_events() { [ "$(sfnl -dj qp show dev hca0 lqpn "$1" | jq ".[0].events.\"$2\"")" = "$3" ]; }
sees_state() { [ "$(sfnl -j qp show dev hca0 lqpn "$1" | jq -r '.[0].state')" = "$2" ]; }

run_tests test_infiniband test_ethernet test_ports test_attributes \
	test_only_what_the_book_allows test_drain_and_move test_failures test_delay_and_hang \
	test_events test_device_breaks_a_qp test_counters test_many_qps test_unplugged_in_use \
	test_bad_input test_scalefabric_sees_it
