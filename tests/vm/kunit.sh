#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# The KUnit suites of tests/kunit, on one machine, whose kernel has KUnit and whose
# build/RELEASE has the module with its tests in it:
#
#	scripts/kbuild module test CONFIG_SCALEFABRIC_KUNIT_TEST=y
#	scripts/vm/run --kernel test --script tests/vm/kunit.sh
#
# One result for each case, and each parameter of one: "ok N - suite: case". A suite
# without results, a case that is skipped, or one that was announced and did not come is
# "not ok".

# shellcheck source=lib/ktap.sh
. "$SF_TOP/tests/vm/lib/base.sh"

results_of() { echo "/sys/kernel/debug/kunit/$1/results"; }

# What the suites find only if the kernel makes allocations fail: quietly, and only
# where a task asks for it.
allow_failures() {
	local dir=/sys/kernel/debug/failslab

	[ -d $dir ] || return 0
	echo N >$dir/ignore-gfp-wait
	echo 0 >$dir/verbose
}

# suite_results NAME: TAP lines from the KTAP of a suite.
suite_results() {
	local file

	file=$(results_of "$1")
	if [ ! -r "$file" ]; then
		echo "not ok - $1: no results"
		return
	fi
	awk -v suite="$1" '
		# A case with parameters: its own line comes after theirs.
		/^        # Subtest: / { group = $0; sub(/^ *# Subtest: /, "", group); next }
		/^    1\.\.[0-9]+$/ { planned = substr($1, 4) + 0; next }
		/^    (    )?(not )?ok [0-9]+/ {
			deep = /^        /
			good = $1 == "ok"
			name = $0
			sub(/^ *(not )?ok [0-9]+ (- )?/, "", name)
			reason = ""
			if (at = index(name, " # SKIP")) {
				reason = substr(name, at)
				name = substr(name, 1, at - 1)
				good = 0
			}
			print (good ? "ok" : "not ok") " - " suite ": " (deep ? group ": " : "") name reason
			if (!deep) seen++
			next
		}
		/^ *# (.* pass:[0-9]+ fail:|Totals:|Subtest:|module:|.*\.speed:)/ || /^ *(KTAP|1\.\.)/ { next }
		/^    / { sub(/^ *(# )?/, ""); print }
		END {
			if (!planned || seen != planned)
				print "not ok - " suite ": " seen + 0 " of " planned + 0 " cases ran"
		}' "$file"
}

# The suites are those that there are files for.
suites() {
	local file

	for file in "$SF_TOP"/tests/kunit/*_kunit.c; do
		file=${file##*/}
		echo "scalefabric_${file%_kunit.c}"
	done
}

modprobe kunit || fail "the kernel $SF_RELEASE has no KUnit"
mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
allow_failures
load_module

number=0 failed=0
echo "KTAP version 1"
while IFS= read -r line; do
	case $line in
	'ok - '*) echo "ok $((++number)) - ${line#ok - }" ;;
	'not ok - '*)
		echo "not ok $((++number)) - ${line#not ok - }"
		failed=$((failed + 1)) ;;
	*) echo "# $line" ;;
	esac
done < <(for suite in $(suites); do suite_results "$suite"; done)
echo "1..$number"
# What they left behind would be in the way of this.
rmmod scalefabric || failed=$((failed + 1))
look_for_leaks
save_coverage
[ "$number" -gt 0 ] && [ "$failed" = 0 ]
