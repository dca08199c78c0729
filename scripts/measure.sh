# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# What demo and bench share: the module and programs are built, the bed two-planes runs
# tests/vm/NAME.sh on host A, and its numbers are shown. Sourced after lib.sh.

# measure NAME KERNEL [OPTION...]: options are those of scripts/vm/run. Sets $out.
measure() {
	local name=$1 kernel=$2 code=0

	shift 2
	out=$top/build/$name
	say "building for Linux $kernel"
	scripts/kernel-cache get "$kernel" >&2
	make -s modules "KVER=$kernel"
	make -s userspace test-programs

	rm -rf "$out"
	mkdir -p "$out"
	say "starting two hosts"
	scripts/vm/run --kernel "$kernel" --bed two-planes --out "$out" "$@" \
		--script "A=tests/vm/$name.sh" --script B=tests/vm/lib/serve.sh || code=$?
	if [ "$code" != 0 ] || [ ! -s "$out/results.json" ]; then
		die "the $name failed (exit code $code); see $out"
	fi
}

# Every number in results.json, as a line of text.
show_numbers() {
	echo
	echo "What was measured, on Linux $(<"$out/release"):"
	jq -r '.[] | "  \(if .ok then "ok " else "BAD" end) \(.name): \(.value) \(.unit)" +
		"\(if .bound == "" then "" else "  (\(.bound))" end)"' "$out/results.json"
}

numbers_in_bounds() {
	jq -e 'all(.[]; .ok)' "$out/results.json" >/dev/null || die "a number is out of its bound"
}
