# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Test cases in a test machine, with KTAP as their output. A case is a script that
# starts with comments for scripts/check,
#
#	# bed: two-planes	(tests/vm/beds)
#	# timeout: 120		(seconds for all of it; default 300)
#	# kernels: 6.1 6.12	(default all, with the test kernel)
#	# allow: REGEX		(kernel complaints that it provokes)
#
# sources this file and calls run_tests with functions. They run on the first host,
# one after the other, each in a subshell with errexit; the others serve ("on B ...").
# Every host starts the script; what must happen on B alone may use $SF_HOST. The bed
# is up and scalefabric is not loaded when a case starts, and again when it ends.

# The bed's own functions, and base.sh.
# shellcheck source=two-planes.sh
. "$SF_TOP/tests/vm/lib/${SF_SETUP% *}"

ktap_count=0 ktap_failed=0

ktap_plan() {
	echo "KTAP version 1"
	echo "1..$1"
}

ok() { echo "ok $((++ktap_count)) - $1"; }

not_ok() {
	echo "not ok $((++ktap_count)) - $1"
	ktap_failed=$((ktap_failed + 1))
}

# skip NAME REASON
skip() { echo "ok $((++ktap_count)) - $1 # SKIP $2"; }

# A test ends itself by this, when the kernel or machine lacks what it tests.
skip_test() {
	echo "$*" >"$ktap_reason"
	exit 4
}

# expect WHAT GOT WANTED: for texts and numbers; says which of them differ.
expect() {
	[ "$2" = "$3" ] || fail "$1: got '$2', expected '$3'"
}

# expect_exit CODE COMMAND...: the exit code, whatever the output.
expect_exit() {
	local wanted=$1 code=0

	shift
	"$@" || code=$?
	[ "$code" = "$wanted" ] || fail "exit code $code, expected $wanted: $*"
}

# run_tests FUNCTION...: test_old_qps_are_found is reported as "old qps are found".
run_tests() {
	local test

	first_host || { serve; return; }
	ktap_plan $#
	for test; do
		run_test "$test"
	done
	release
	[ "$ktap_failed" = 0 ]
}

run_test() {
	local name=${1#test_} code=0 output log child

	name=${name//_/ }
	output=/tmp/ktap.$$.output ktap_reason=/tmp/ktap.$$.reason
	kernel_mark "$name"
	# A group of its own, so that nothing of it stays behind.
	set -m
	(set -e; "$1") >"$output" 2>&1 </dev/null &
	child=$!
	set +m
	wait "$child" || code=$?
	end_group "$child"
	sed 's/^/# /' "$output"
	log=$(kernel_complaints "$name")
	if [ -n "$log" ]; then
		sed 's/^/# kernel: /' <<<"$log"
		code=1
	fi
	case $code in
	0) ok "$name" ;;
	4) skip "$name" "$(<"$ktap_reason")" ;;
	*) not_ok "$name" ;;
	esac
	rm -f "$output" "$ktap_reason"
}

# kernel_mark TEXT: a line in the kernel's log, after which kernel_complaints looks.
kernel_mark() { echo "test: $1" >/dev/kmsg; }

# kernel_complaints TEXT: what a kernel of this host should not have said since.
kernel_complaints() {
	dmesg | mark="test: $1" awk '
		BEGIN { mark = ENVIRON["mark"]; bad = ENVIRON["SF_COMPLAINTS"]; good = ENVIRON["SF_ALLOW"] }
		substr($0, length($0) - length(mark) + 1) == mark { text = ""; next }
		$0 ~ bad && (good == "" || $0 !~ good) { text = text $0 "\n" }
		END { printf "%s", text }'
}
