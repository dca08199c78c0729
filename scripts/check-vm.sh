# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# The part of scripts/check that runs the cases of tests/vm/cases. All cases of a
# bed share a boot: tests/vm/lib/run-cases runs one after the other and puts the bed
# in order between. A case that the boot does not survive has failed, and the rest go
# on in a new one.

# case_value WORD FILE: from a case's head, see tests/vm/lib/ktap.sh.
case_value() { sed -n "s/^# $1: *//p" "$2" | head -n 1; }

# Every case for a kernel, grouped by bed.
run_cases() {
	local kernel=$1 file bed name cases reason
	local -A group=()

	for file in tests/vm/cases/*.sh; do
		bed=$(case_value bed "$file")
		name=$(basename "$file" .sh)
		# Without a bed it is no case but a part of some.
		[ -n "$bed" ] || continue
		[[ " $(case_value kernels "$file" | grep . || echo "$kernel") " = *" $kernel "* ]] || continue
		wanted "vm/$kernel/$name" || continue
		reason=$(case_value skip "$file")
		if [ -n "$reason" ]; then
			result ok "vm/$kernel/$name" "$reason"
		else
			group[$bed]+=" $name"
		fi
	done
	[ ${#group[@]} = 0 ] || rm -rf "$out/vm/$kernel"-*
	for bed in "${!group[@]}"; do
		read -ra cases <<<"${group[$bed]}"
		run_group "$kernel" "$bed" "${cases[@]}"
	done
}

# run_group KERNEL BED CASE...
run_group() {
	local kernel=$1 bed=$2 boots=0 idle=0 done_cases
	local -a left=("${@:3}")

	while [ ${#left[@]} -gt 0 ]; do
		done_cases=0
		one_boot "$kernel" "$bed" "$out/vm/$kernel-$bed-$((++boots))" "${left[@]}"
		left=("${left[@]:done_cases}")
		if [ $done_cases -gt 0 ]; then
			idle=0
		elif [ $((++idle)) = 2 ]; then
			for name in "${left[@]}"; do
				result 'not ok' "vm/$kernel/$name: the machines did not start"
			done
			return
		fi
	done
}

# Runs cases until the end or until one takes the machines down. Adds to $done_cases.
one_boot() {
	local kernel=$1 bed=$2 dir=$3 name file limit=180 line code start=$SECONDS
	local running='' text='' problems='' before=$failed
	local -a options=()

	shift 3
	for name; do
		file=tests/vm/cases/$name.sh
		line=$(case_value timeout "$file")
		limit=$((limit + ${line:-300} + 60))
		line=$(case_value allow "$file")
		[ -z "$line" ] || options+=(--allow "$line")
	done
	rm -rf "$dir"
	mkdir -p "$dir"
	echo "# $kernel, $bed: starting machines for $# cases"
	scripts/vm/run --kernel "$kernel" --bed "$bed" --timeout "$limit" --out "$dir" \
		--env "SF_CASES=$*" --script tests/vm/lib/run-cases "${options[@]}" \
		>"$dir.log" 2>&1 </dev/null &
	vm=$!
	while IFS= read -r line; do
		boot_line "${line#A: }"
	done < <(tail -c +1 -s 0.2 -f --pid=$vm "$dir.log")
	code=0
	wait $vm || code=$?
	vm=
	took "$kernel, $bed" "$start"
	if [ -n "$running" ]; then
		echo -n "$text$problems"
		result 'not ok' "vm/$kernel/$running: the machines did not survive it"
		done_cases=$((done_cases + 1))
	elif [ "$code" != 0 ] && [ "$failed" = "$before" ] && [ "$done_cases" -gt 0 ]; then
		echo -n "$problems"
		result 'not ok' "vm/$kernel: machines of bed $bed"
	elif [ "$code" != 0 ] && [ "$done_cases" = 0 ]; then
		echo -n "$problems"
	fi
}

# A line of the first host, or with its name before it one of another or of the runner.
boot_line() {
	local end

	case $1 in
	'case-begin '*)
		running=${1#* } text='' case_failed=$failed case_seen=$number ;;
	'case-end '*)
		end=${1#case-end }
		end_case "${end% *}" "${end#* }" ;;
	[B-Z]': '*) text+="# $1"$'\n' ;;
	'run: '* | '    '*) problems+="# $1"$'\n' ;;
	*) tap_line "vm/$kernel/$running" "$1" ;;
	esac
}

# end_case NAME CODES: the exit codes of the hosts.
end_case() {
	if [[ $2 =~ [1-9] ]] && [ "$failed" = "$case_failed" ]; then
		echo -n "$text"
		result 'not ok' "vm/$kernel/$1: ended with exit code $2"
	elif [ "$number" = "$case_seen" ]; then
		echo -n "$text"
		result 'not ok' "vm/$kernel/$1: no results"
	fi
	done_cases=$((done_cases + 1)) running=''
}
