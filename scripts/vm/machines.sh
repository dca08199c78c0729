# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Test machines as data: what a bed file says, and the QEMU command line of each.
#
# A bed file has one thing a line:
#
#	hosts A B		names, in the order they start
#	mem 1024 [A...]		MB of memory, of all or of some
#	cpus 2 [A...]
#	wire NAME A B...	a NIC called NAME in each, joined
#	setup FILE FUNCTION	FILE (of tests/vm/lib) is sourced and FUNCTION called on
#				every host before its script

declare -a hosts=() wires=()
declare -A mem=() cpus=() nics=() netdevs=()
setup=

read_bed() {
	local words

	[ -f "$1" ] || die "no bed $1"
	while read -ra words; do
		case ${words[0]-} in
		'' | '#'*) ;;
		hosts) hosts=("${words[@]:1}") ;;
		mem | cpus) set_each "${words[@]}" ;;
		wire) wires+=("${words[*]:1}") ;;
		setup) setup=${words[*]:1} ;;
		*) die "$1: unknown word '${words[0]}'" ;;
		esac
	done <"$1"
	[ ${#hosts[@]} -gt 0 ] || die "$1: no hosts"
}

# N hosts on one wire, for use by hand.
plain_bed() {
	local letters=(A B C D E F G H)

	[[ $1 =~ ^[1-8]$ ]] || die "--hosts takes 1 to 8"
	hosts=("${letters[@]:0:$1}")
	[ "$1" = 1 ] || wires=("mgmt ${hosts[*]}")
	setup="base.sh bed_plain_up"
}

set_each() {
	local -n table=$1
	local value=$2 host

	shift 2
	[ $# -gt 0 ] || set -- "${hosts[@]}"
	for host; do
		table["$host"]=$value
	done
}

# Wires are streams over UNIX sockets, not datagrams: a full datagram socket makes
# QEMU spin, a full stream stops the sender's NIC, and neither loses a frame. The
# first host of a wire listens; where there are more than two it is the hub.
plug_wires() {
	local wire words number=0

	for wire in "${wires[@]}"; do
		read -ra words <<<"$wire"
		[ ${#words[@]} -gt 2 ] || die "wire '$wire' does not join hosts"
		plug_wire $((++number)) "${words[@]}"
	done
}

plug_wire() {
	local number=$1 name=$2 hub=$3 host id=w$1

	shift 3
	add_nic "$hub" "$name" "$number"
	if [ $# = 1 ]; then
		netdevs[$hub]+=" -netdev stream,id=$id,server=on,$(socket "$id" "$1")"
	else
		netdevs[$hub]+=" -netdev hubport,id=$id,hubid=$number"
	fi
	for host; do
		add_nic "$host" "$name" "$number"
		netdevs[$host]+=" -netdev stream,id=$id,server=off,$(socket "$id" "$host")"
		[ $# -gt 1 ] || continue
		netdevs[$hub]+=" -netdev stream,id=$id$host,server=on,$(socket "$id" "$host")"
		netdevs[$hub]+=" -netdev hubport,id=h$id$host,hubid=$number,netdev=$id$host"
	done
}

socket() {
	echo "addr.type=unix,addr.path=$work/$1$2"
}

# The address says host and wire; the guest finds the NIC's name by it.
add_nic() {
	local host=$1 name=$2 number=$3 index address

	for index in "${!hosts[@]}"; do
		[ "${hosts[index]}" = "$host" ] && break
	done
	[ "${hosts[index]}" = "$host" ] || die "wire $name: no host $host"
	address=$(printf '02:5f:00:00:%02x:%02x' $((index + 1)) "$number")
	nics[$host]+=" $name=$address"
	netdevs[$host]+=" -device virtio-net-pci,netdev=w$number,mac=$address,romfile=,event_idx=off"
}

# The sockets that a host connects to; they must be there before it starts.
sockets_of() {
	grep -o 'server=off,[^ ]*' <<<"${netdevs[$1]-}" | sed 's/.*addr.path=//'
}

# A /dev/kvm without the processor's help (as there is in some virtual machines) runs
# only kernels made for it, no stock ones.
accelerator() {
	if [ -r /dev/kvm ] && [ -w /dev/kvm ] && grep -qwE 'vmx|svm' /proc/cpuinfo; then
		echo kvm
	else
		echo tcg
	fi
}

# Fills $qemu with the command line of a host.
qemu_command() {
	local host=$1 append

	append="console=ttyS0 ignore_loglevel SF_HOST=$host panic=-1 oops=panic"
	# Every clock of the machine follows this one's, and jumps with it where this one
	# is stopped for a while; the TSC is the one that can be read without leaving the
	# emulation. A jump once passed for an RCU stall, so a hang is told by limits of
	# minutes: 300 s here, 120 s for tasks and processors (init).
	append+=" tsc=reliable clocksource=tsc no_timer_check mitigations=off"
	append+=" rcupdate.rcu_cpu_stall_timeout=300"
	# What was sent is given back at once, not after an interrupt that may be lost
	# (below): rxe waits for it before it lets go of a QP.
	append+=" virtio_net.napi_tx=0 $extra_cmdline"

	qemu=(qemu-system-x86_64 -name "$host" -machine q35 -nodefaults -no-user-config
		-display none -no-reboot -m "${mem[$host]}" -smp "${cpus[$host]}"
		-kernel "$image" -initrd "$initramfs" -append "$append"
		-chardev "file,id=console,path=$work/$host.console" -serial chardev:console
		-device virtio-serial-pci,event_idx=off
		-chardev "file,id=out,path=$work/$host.out"
		-device virtserialport,chardev=out,name=sf.out
		-fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap
		-device virtio-9p-pci,fsdev=root,mount_tag=root,event_idx=off
		-fsdev "local,id=share,path=$share,security_model=none"
		-device virtio-9p-pci,fsdev=share,mount_tag=share,event_idx=off)
	case $accel in
	kvm) qemu+=(-accel kvm -cpu host) ;;
	# One thread for all processors of a machine: with one for each, a processor was
	# seen to run a breakpoint that the kernel had already taken out of its code
	# (jump labels, ftrace and kprobes all change code), and the kernel died of it.
	# That leaves out the guest's memory barriers, though device emulation has a thread
	# of its own, so that an interrupt of virtio may be lost. Without event_idx the
	# next one makes up for it; with it there might be none any more.
	# No cmpxchg16b: before QEMU 8.0 its emulation takes the flags from where they may
	# not be. When SLUB's fast path loses to an interrupt, EFLAGS is then rubbish, and
	# the next interrupt a double fault.
	tcg) qemu+=(-accel "tcg,thread=single" -cpu max,-cx16) ;;
	esac
	# shellcheck disable=SC2206 # made of words without blanks
	qemu+=(${netdevs[$host]-})
}
