# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# The numbers of a demo or a bench: results.json of the share, a list of
# {"name", "value", "unit", "bound", "ok"}.

results=()

# result NAME VALUE UNIT [BOUND [TEST]]: BOUND is for people ("" is none), TEST what awk
# appends to the value to judge it (default BOUND).
result() {
	local ok=false bound=${4-} judge=${5-${4-}}

	if awk "BEGIN { exit !(($2) ${judge:->= 0}) }"; then ok=true; fi
	results+=("$(jq -n --arg name "$1" --argjson value "$2" --arg unit "$3" \
		--arg bound "$bound" --argjson ok $ok '$ARGS.named')")
}

write_results() { printf '%s\n' "${results[@]}" | jq -s . >"$SF_SHARE/results.json"; }

# now: microseconds
now() { echo "${EPOCHREALTIME/./}"; }

# ratio A B: with two digits
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
