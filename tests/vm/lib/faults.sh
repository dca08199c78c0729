# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Allocations that fail, by the kernel's FAILSLAB: the n-th that is made on behalf of a
# module fails, for n = 1.. until a pass has no n-th.
#
# Who allocates is told by the stack: an address of the module's code is on it. Which
# allocation is told by /proc/TASK/fail-nth, a count that a task keeps through exec.
# "times" goes from 1 to 0 when one has failed; probability stays 0.

failslab=/sys/kernel/debug/failslab

# faults_on START END: count allocations with an address in that range on the stack.
faults_on() {
	echo 0 >$failslab/probability
	# Dumps of the stack would be taken for complaints.
	echo 0 >$failslab/verbose
	echo N >$failslab/ignore-gfp-wait
	echo 32 >$failslab/stacktrace-depth
	echo "0x$1" >$failslab/require-start
	echo "0x$2" >$failslab/require-end
}

# faults_not_on START END: nor those that have one in this.
faults_not_on() {
	echo "0x$1" >$failslab/reject-start
	echo "0x$2" >$failslab/reject-end
}

# Modules are loaded above the kernel; of one that is not loaded nothing else is known.
faults_in_modules() { faults_on ffffffffa0000000 ffffffffff000000; }

# faults_in MODULE, which is loaded.
faults_in() {
	local first last

	first=$(code_of "$1" | head -n 1)
	last=$(code_of "$1" | tail -n 1)
	faults_on "$first" "$(printf '%x' $((16#$last + 4096)))"
}

code_of() {
	awk -v module="[$1]" '$4 == module && tolower($2) == "t" { print $1 }' /proc/kallsyms | sort
}

faults_off() {
	workers_fail 0
	faults_on 0 0
	faults_not_on 0 0
}

# workers_fail N: the N-th allocation of every kernel worker; 0: none.
workers_fail() {
	local task name

	for task in /proc/[0-9]*; do
		{ read -r name <"$task/comm"; } 2>/dev/null || continue
		[[ $name != kworker/* ]] || echo "$1" >"$task/fail-nth" 2>/dev/null || true
	done
}

# fail_nth N COMMAND...: run it so; sets $code, its exit code, and $fired.
fail_nth() {
	local nth=$1

	shift
	echo 1 >$failslab/times
	code=0
	([ "$nth" = 0 ] || echo "$nth" >"/proc/$BASHPID/fail-nth"; exec "$@") || code=$?
	[ "$(<$failslab/times)" = 0 ] && fired=1 || fired=''
}

# sweep CHECK COMMAND...: CHECK is called after each, with N; it may look at $code, the
# exit code, and at $output, a file with what COMMAND printed. Sets $swept, how many
# allocations there were.
sweep() {
	local check=$1

	shift
	output=/tmp/fault.$$.output
	for ((swept = 0; ; swept++)); do
		fail_nth $((swept + 1)) "$@" >"$output" 2>&1
		"$check" $((swept + 1)) || fail "allocation $((swept + 1)) of $*: $(<"$output")"
		[ "$fired" ] || break
	done
	echo "$swept allocations: $*"
}
