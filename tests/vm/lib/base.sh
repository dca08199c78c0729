# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Shell functions for what runs in a test machine. A command line given to
# scripts/vm/run has them; a script sources this file:
#
#	. "$SF_TOP/tests/vm/lib/base.sh"

SF_LIB=$SF_TOP/tests/vm/lib
SF_SHARE=/run/sf
export SF_LIB SF_SHARE

fail() { echo "${0##*/}: $*" >&2; exit 1; }

# Another host failed; nothing that depends on it will come.
run_is_lost() { [ -e "$SF_SHARE/.vm/failed" ] || [ -e "$SF_SHARE/.vm/lost${SF_CASE-}" ]; }

# For loops: a look into the share takes its time, so it is only now and then.
lost_by_now() { (($1 % 10 == 9)) && run_is_lost; }

# wait_for [-t SECONDS] COMMAND...: until COMMAND succeeds. The limit only ends what
# would never end; no test may depend on how long a thing takes.
wait_for() {
	local limit=120 start=$SECONDS n=0

	[ "$1" != -t ] || { limit=$2; shift 2; }
	limit=$((limit * ${SF_SLOW:-1}))
	until "$@"; do
		if [ $((SECONDS - start)) -ge "$limit" ] || lost_by_now $n; then
			echo "${FUNCNAME[1]}: still not after $((SECONDS - start)) s: $*" >&2
			return 1
		fi
		nap $((n++))
	done
}

# nap [N]: a tenth of a second, without a process; after many in a row (N) longer.
nap() {
	[ -n "${nap_fd-}" ] || exec {nap_fd}<> <(:)
	read -r -t "0.$((${1-0} < 30 ? 1 : 4))" -u "$nap_fd" || true
}

# barrier NAME: until every host has come here. A name is used once in a script.
barrier() {
	local dir=$SF_SHARE/.vm/barriers/${SF_CASE-}$1

	mkdir -p "$dir"
	: >"$dir/$SF_HOST"
	wait_for -t 300 all_at "$dir"
}

all_at() {
	local host

	for host in $SF_HOSTS; do
		[ -e "$1/$host" ] || return 1
	done
}

# on HOST COMMAND...: runs it there, as root, and gives its output and exit code; HOST
# must be in serve. A single word is a line for the shell. May run in the background;
# when it is killed, so is COMMAND.
on() {
	local host=$1 id request line

	shift
	id=$SF_HOST.$BASHPID.$RANDOM
	request=$SF_SHARE/.vm/$host/requests/$id
	if [ $# = 1 ]; then line=$1; else line=$(printf '%q ' "$@"); fi
	printf '. %q\n%s\n' "$SF_LIB/base.sh" "$line" >"$request.new"
	mv "$request.new" "$request.sh"
	(
		trap ': >"$request.stop"' EXIT
		trap 'exit 143' TERM
		# Whoever looks from a folder of the share has no long way.
		cd "${request%/*}" || exit
		for ((n = 0; ; n++)); do
			if [ -e "${request##*/}.exit" ] || lost_by_now $n; then break; fi
			nap $n
		done
		trap - EXIT
	)
	cat "$request.out" 2>/dev/null || true
	return "$(cat "$request.exit" 2>/dev/null || echo 125)"
}

# Runs what other hosts ask by "on", until release or the end of the first host.
serve() {
	local request requests=$SF_SHARE/.vm/$SF_HOST/requests n

	cd "$requests" || return
	for ((n = 0; ; n++)); do
		((n % 3)) || { ! released && ! run_is_lost; } || break
		for request in *.sh; do
			[ -e "$request" ] || continue
			mv "$request" "${request%.sh}.run"
			serve_one "$requests/${request%.sh}" &
			n=0
		done
		nap $n
	done
	cd "$SF_TOP" || return
	! run_is_lost
}

# It is asked to stop by a file beside the request, where it stands.
serve_one() {
	local request=$1 code=0 child n

	(cd "$SF_TOP" && exec setsid bash "$request.run") </dev/null >"$request.out" 2>&1 &
	child=$!
	for ((n = 0; ; n++)); do
		kill -0 "$child" 2>/dev/null || break
		[ ! -e "${request##*/}.stop" ] || end_group "$child"
		nap $n
	done
	wait "$child" || code=$?
	echo "$code" >"$request.code"
	mv "$request.code" "$request.exit"
}

# end_group LEADER: all processes of a group, the stubborn ones too; an RDMA application
# may wait for what never comes.
end_group() {
	kill -- "-$1" 2>/dev/null || return 0
	wait_for -t 10 group_is_gone "$1" 2>/dev/null || kill -KILL -- "-$1" 2>/dev/null || true
}

group_is_gone() { ! kill -0 -- "-$1" 2>/dev/null; }

# Ends serve on all hosts.
release() { : >"$SF_SHARE/.vm/quit${SF_CASE-}"; }

released() {
	[ -e "$SF_SHARE/.vm/quit${SF_CASE-}" ] || [ -e "$SF_SHARE/.vm/${SF_HOSTS%% *}/exit" ]
}

first_host() { [ "$SF_HOST" = "${SF_HOSTS%% *}" ]; }

# 1, 2.. for A, B..
host_number() {
	local host number=0

	for host in $SF_HOSTS; do
		number=$((number + 1))
		[ "$host" != "${1-$SF_HOST}" ] || break
	done
	echo "$number"
}

# The wire called mgmt is for what shall not be seen in the planes.
mgmt_up() {
	[ -e /sys/class/net/mgmt ] || return 0
	# Bit 0 is IFF_UP.
	(($(</sys/class/net/mgmt/flags) % 2 == 0)) || return 0
	ip -batch - <<-END
		address add $(mgmt_of "$SF_HOST")/24 dev mgmt
		link set mgmt up
	END
}

# mgmt_of HOST: its address on that wire.
mgmt_of() { echo "10.77.255.$(host_number "$1")"; }

# bed_setup FILE FUNCTION: what a bed file's setup line says.
bed_setup() {
	# shellcheck disable=SC1090 # named by the bed
	. "$SF_LIB/$1"
	"$2" || fail "$2 failed"
}

bed_plain_up() { mgmt_up; }

# load_module [PARAMETER=VALUE...]: scalefabric.ko as built for this kernel.
load_module() {
	[ -f "$SF_BUILD/scalefabric.ko" ] || fail "not built: make modules KVER=$SF_RELEASE"
	modprobe -a ib_core ib_uverbs
	insmod "$SF_BUILD/scalefabric.ko" "$@"
}

# A device in mode balance holds the module.
unload_module() {
	local path

	[ -e /sys/module/scalefabric ] || return 0
	for path in /sys/class/infiniband/*; do
		[ ! -e "$path" ] || sfnl dev set "${path##*/}" mode observe
	done
	rmmod scalefabric
}

# load_test_module NAME: one of tests/kmod.
load_test_module() {
	[ -f "$SF_BUILD/$1.ko" ] || fail "not built: make test-modules KVER=$SF_RELEASE"
	[ -e "/sys/module/$1" ] || insmod "$SF_BUILD/$1.ko"
}

# What gcov counted, also of a module that is gone, for scripts/coverage.
save_coverage() {
	local gcov=/sys/kernel/debug/gcov dir=$SF_SHARE/gcov/$SF_HOST file

	[ -d $gcov ] || return 0
	while IFS= read -r file; do
		mkdir -p "$dir/${file%/*}"
		cat "$gcov/$file" >"$dir/$file"
	done < <(cd $gcov && find . -name '*.gcda' -printf '%P\n')
}

# What nobody refers to any more when all of ours is unloaded. The kernel counts it on its
# console, where the runner looks; what it was goes there too.
look_for_leaks() {
	local kmemleak=/sys/kernel/debug/kmemleak line

	[ -e $kmemleak ] || return 0
	unload_module
	rmmod sf_hca sf_inject sf_plainhca 2>/dev/null || true
	# It takes two looks, and what is younger than 5 s may be on its way.
	echo scan >$kmemleak
	sleep 6
	echo scan >$kmemleak
	while IFS= read -r line; do
		echo "kmemleak: | $line" >/dev/kmsg
	done < <(head -n 60 $kmemleak)
}
