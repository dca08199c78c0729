# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# The bed two-planes, from the side of a host: A.plane0 - B.plane0, A.plane1 -
# B.plane1, bond0 over both, rxe0 on bond0.

# shellcheck source=base.sh
. "$SF_TOP/tests/vm/lib/base.sh"

planes="plane0 plane1"

# bed_two_planes_up [MBIT]: everything, with a rate for each plane (default 20
# Mbit/s, less on a kernel that is slow). May be called again.
bed_two_planes_up() {
	mgmt_up && bond_up && set_rate "${1:-${RATE:-$((20 / SF_SLOW))}}" && rxe_up
}

bond_up() {
	local plane host mac

	[ ! -e /sys/class/net/bond0 ] || return 0
	# By default bonding makes a bond0 of its own.
	modprobe bonding max_bonds=0 || return
	# Members in the order of the planes, the same on both ends. Neighbours are
	# fixed, so that no test waits for one or finds it expired.
	{
		echo "link add bond0 address $(bond_mac "$SF_HOST") type bond mode balance-xor" \
			"xmit_hash_policy layer3+4 miimon 100"
		for plane in $planes; do
			echo "link set $plane down"
			echo "link set $plane master bond0"
		done
		echo "link set bond0 up"
		echo "address add $(address_of "$SF_HOST")/24 dev bond0"
		echo "address add $(address6_of "$SF_HOST")/64 dev bond0 nodad"
		for host in ${SF_HOSTS/$SF_HOST/}; do
			mac="lladdr $(bond_mac "$host") dev bond0 nud permanent"
			echo "neigh replace $(address_of "$host") $mac"
			echo "neigh replace $(address6_of "$host") $mac"
		done
	} | ip -batch - && wait_for bond_ready
}

# The bond's own state and that of its two members.
bond_ready() { [ "$(grep -c 'MII Status: up' /proc/net/bonding/bond0)" = 3 ]; }

bond_mac() { printf '02:5f:00:ff:00:%02x' "$(host_number "$1")"; }

# Addresses of bond0: 10.77.0.1 and fd00:77::1 on A, .2 and ::2 on B.
address_of() { echo "10.77.0.$(host_number "$1")"; }
address6_of() { echo "fd00:77::$(host_number "$1")"; }

# set_rate MBIT: what a plane carries, from now on; packets that wait stay. The queue
# never drops: rxe keeps up to 64 packets a QP in the stack, and on 6.12 a drop in the
# local queue ends the QP.
set_rate() {
	local plane class set=/run/two-planes.rate

	[ ! -e $set ] || [ "$(<$set)" != "$1" ] || return 0
	[ -e $set ] || modprobe sch_htb || return
	class="classid 1:1 htb rate $1mbit burst 64k cburst 64k quantum 1514"
	for plane in $planes; do
		if [ -e $set ]; then
			echo "class change dev $plane parent 1: $class"
			continue
		fi
		echo "qdisc add dev $plane root handle 1: htb default 1"
		echo "class add dev $plane parent 1: $class"
		echo "qdisc add dev $plane parent 1:1 handle 11: bfifo limit 64mb"
	done | tc -batch - && echo "$1" >$set
}

rxe_up() {
	[ ! -e /sys/class/infiniband/rxe0 ] || return 0
	# rxe of 6.1 does not ask for crc32 itself, and makes no device without.
	modprobe -a crc32_generic ib_uverbs rdma_ucm rdma_rxe &&
		rdma link add rxe0 type rxe netdev bond0 &&
		wait_for rxe_active
}

rxe_active() { grep -q ACTIVE /sys/class/infiniband/rxe0/ports/1/state; }

rxe_down() { [ ! -e /sys/class/infiniband/rxe0 ] || rdma link delete rxe0; }

# plane_bytes N tx|rx
plane_bytes() { cat "/sys/class/net/plane$1/statistics/${2}_bytes"; }

# plane_mbit N tx|rx SECONDS: mean rate from now on.
plane_mbit() {
	local before now start end

	start=${EPOCHREALTIME/./} before=$(plane_bytes "$1" "$2")
	sleep "$3"
	end=${EPOCHREALTIME/./} now=$(plane_bytes "$1" "$2")
	echo $(((now - before) * 8 / (end - start)))
}

# Other names for the two ends, for command lines.
for PEER_HOST in $SF_HOSTS; do
	[ "$PEER_HOST" = "$SF_HOST" ] || break
done
PEER=$(address_of "$PEER_HOST")
PEER_MGMT=$(mgmt_of "$PEER_HOST")
export PEER PEER_HOST PEER_MGMT
