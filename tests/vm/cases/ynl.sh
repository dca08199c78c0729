#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# The kernel's own netlink client reads the specification and gets from the module what
# sfnl gets.
#
# bed: two-planes
# timeout: 300
# kernels: 6.1 6.12

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

# As scripts/kernel-cache lays it out, beside the kernel that runs.
source_tree=${SF_KERNEL%/kernels/*}/source-6.12
spec=$SF_TOP/Documentation/netlink/specs/scalefabric.yaml

ynl() {
	/usr/bin/python3 "$source_tree/tools/net/ynl/cli.py" --output-json \
		--schema "$source_tree/Documentation/netlink/genetlink-legacy.yaml" \
		--spec "$spec" "$@"
}

need_ynl() {
	[ -e "$source_tree/tools/net/ynl/cli.py" ] || skip_test "no $source_tree"
}

# The two write some things differently: upper case for names of the InfiniBand
# specification, and the kernel's flag as a value. Nested event counts are a map here
# and a list there.
upper='map(if .type then .type |= ascii_upcase else . end |
	if .state then .state |= ascii_upcase else . end)'

qps_by_sfnl() {
	sfnl -j qp show | jq -S 'map(.["dev-index"] = .ifindex | .["dev-name"] = .ifname |
		del(.ifindex, .ifname, .kernel, .events, .event, .sgid, .dgid))'
}

qps_by_ynl() {
	ynl --dump qp-get | jq -S "$upper | map(del(.kernel, .events, .event, .sgid, .dgid))"
}

devices_by_sfnl() { sfnl -j dev show | jq -S 'map(.index = .ifindex | .name = .ifname | del(.ifindex, .ifname))'; }
devices_by_ynl() { ynl --dump dev-get | jq -S .; }

same() { # WHAT: by both clients
	diff <("$1_by_sfnl") <("$1_by_ynl") || fail "sfnl (<) and ynl (>) differ"
}

test_dumps() {
	need_ynl
	module_on
	watch_start -q 3 -l 1,2,3
	same devices
	same qps
	expect "QPs" "$(ynl --dump qp-get | jq length)" 4
	watch_stop
}

test_do() {
	need_ynl
	module_on
	watch_start -q 1 -l 2
	ynl --do dev-set --json '{"name": "rxe0", "mode": "balance"}'
	expect "mode" "$(sfnl -j dev show rxe0 | jq -r '.[0].mode')" balance
	expect "result" "$(ynl --do qp-rebind --json "{\"dev-name\": \"rxe0\",
		\"lqpn\": ${lqpns[0]}, \"lane\": 1}" | jq -r .result)" moved
	wait_for all_on_plane 1
	! ynl --do qp-rebind --json "{\"dev-name\": \"rxe0\", \"lqpn\": ${lqpns[0]}, \"lane\": 7}" \
		>/tmp/error 2>&1 || fail "lane 7 accepted"
	grep -q "rxe0 has no lane 7" /tmp/error || fail "no message: $(</tmp/error)"
	ynl --do dev-set --json '{"name": "rxe0", "mode": "observe"}'
	watch_stop
}

run_tests test_dumps test_do
