#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# QPs that kernel modules own: an NVMe target and its initiator over rxe, beside the
# GSI QP of ib_core. The initiator is told by a write to /dev/nvme-fabrics.
#
# bed: two-planes
# timeout: 600
# allow: Fatal error .* on MAD QP

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

nqn=nqn.2014-08.org.scalefabric:test
target=/sys/kernel/config/nvmet

target_up() {
	modprobe -a loop nvmet nvmet-rdma nvme-rdma
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
	truncate -s 64M /tmp/disk
	disk=$(losetup -f --show /tmp/disk)
	mkdir -p $target/subsystems/$nqn/namespaces/1 $target/ports/1
	echo 1 >$target/subsystems/$nqn/attr_allow_any_host
	echo "$disk" >$target/subsystems/$nqn/namespaces/1/device_path
	echo 1 >$target/subsystems/$nqn/namespaces/1/enable
	echo rdma >$target/ports/1/addr_trtype
	echo ipv4 >$target/ports/1/addr_adrfam
	address_of "$SF_HOST" >$target/ports/1/addr_traddr
	echo 4420 >$target/ports/1/addr_trsvcid
	ln -s $target/subsystems/$nqn $target/ports/1/subsystems/
}

target_down() {
	rm -f $target/ports/1/subsystems/$nqn
	rmdir $target/ports/1
	echo 0 >$target/subsystems/$nqn/namespaces/1/enable
	rmdir $target/subsystems/$nqn/namespaces/1 $target/subsystems/$nqn
	losetup -d "$disk"
	modprobe -r nvmet-rdma nvme-rdma
}

connect() {
	echo "transport=rdma,traddr=$1,trsvcid=4420,nqn=$nqn,nr_io_queues=2" >/dev/nvme-fabrics
	wait_for test -b /dev/nvme0n1
}

disconnect() {
	echo 1 >/sys/class/nvme/nvme0/delete_controller
	wait_for test ! -e /sys/class/nvme/nvme0
}

# What was written is read back from the disk behind the target.
io() {
	head -c 4M /dev/urandom >/tmp/data
	dd if=/tmp/data of=/dev/nvme0n1 bs=64k oflag=direct status=none
	cmp -n 4194304 /tmp/data /tmp/disk
}

owners() { sfnl -j qp show | jq -c '[.[] | select(.kernel).comm] | unique'; }

test_qps_of_nvme_and_its_target() {
	target_up
	module_on
	expect_equal_tables
	connect "$(address_of A)"
	expect_equal_tables
	# The admin queue and two for I/O, either end, and the GSI QP.
	expect "kernel QPs" "$(sfnl -j qp show | jq '[.[] | select(.kernel)] | length')" \
		"$(rdma -j res show qp | jq length)"
	[ "$(count_qps)" -ge 7 ] || fail "only $(count_qps) QPs"
	expect "owners" "$(owners)" "$(rdma -j res show qp | jq -c '[.[].comm] | unique')"
	expect "pids" "$(sfnl -j qp show | jq '[.[].pid // empty] | length')" 0

	# Older than the module, too.
	module_off
	module_on
	expect_equal_tables
	io
	disconnect
	expect_equal_tables
	target_down
	expect "owners" "$(owners)" '["ib_core"]'
	module_off
}

test_events_of_kernel_qps() {
	local lqpn

	target_up
	connect "$(address_of A)"
	module_on
	sfnl -j monitor event >/tmp/monitor &
	for lqpn in $(sfnl -j qp show type RC | jq '.[].lqpn'); do
		inject "$lqpn" PATH_MIG 2 softirq
		expect "events of QP $lqpn" \
			"$(sfnl -dj qp show dev rxe0 lqpn "$lqpn" | jq -c '.[0].events')" '{"path-mig":2}'
	done
	inject $((1 << 24 | 1)) QP_REQ_ERR
	expect "events of the GSI QP" "$(counts_of 1)" '{"req-err":1}'
	disconnect
	target_down
	module_off
}

counts_of() { sfnl -dj qp show dev rxe0 lqpn "$1" | jq -c '.[0].events'; }

# Live QPs of the kernel move as well, under I/O.
test_rebind_of_kernel_qps() {
	local lqpn round writer

	target_up
	connect "$(address_of A)"
	module_on
	mode balance
	rm -f /tmp/enough
	until [ -e /tmp/enough ]; do
		dd if=/dev/zero of=/dev/nvme0n1 bs=16k count=64 oflag=direct status=none || exit
	done &
	writer=$!
	for round in {1..6}; do
		for lqpn in $(sfnl -j qp show type RC | jq '.[].lqpn'); do
			rebind "$lqpn" flow-label $((round * 4096 + lqpn))
		done
	done
	touch /tmp/enough
	wait "$writer" || fail "a write to the namespace failed"
	mode observe
	io
	expect "states" "$(rdma -j res show qp | jq -c '[.[].state] | unique')" '["RTS"]'
	expect "complaints of nvme" "$(dmesg | grep -c 'nvme nvme0: .*\(timeout\|reconnect\|I/O error\)' || true)" 0
	disconnect
	target_down
	module_off
}

run_tests test_qps_of_nvme_and_its_target test_events_of_kernel_qps test_rebind_of_kernel_qps
