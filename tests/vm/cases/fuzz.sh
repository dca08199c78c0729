#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Random netlink messages, good ones and others, from two senders at a time, while an
# application works and QPs come and go: every message is answered as the
# specification says, and the application notices nothing.
#
#	SF_FUZZ_MESSAGES	how many (default 200000 on the test kernel, else 20000)
#	SF_FUZZ_SEED		of the first sender, to repeat a run (default: random)
#
# bed: two-planes
# timeout: 900
# kernels: 6.1 6.12

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

messages=${SF_FUZZ_MESSAGES:-$((SF_SLOW > 1 ? 200000 : 20000))}
seed=${SF_FUZZ_SEED:-$((RANDOM << 15 | RANDOM))}

# Until churn_stop. One thread: more of them would leave the senders no processor.
churn_start() {
	qp_churn -d rxe0 -n 1000000000 -P 1 -t 1 -m 16 -x rc,uc,ud >/tmp/churn &
	churn=$!
}

churn_stop() {
	kill "$churn"
	wait "$churn" || fail "qp_churn: $(</tmp/churn)"
	echo "churn: $(</tmp/churn)"
}

# fuzz COUNT SEED: two senders with half of the messages each. The second one's seed
# follows from the first one's.
fuzz() {
	local second code=0

	nlfuzz -n $(($1 / 2)) -s $(($2 + 1)) >/tmp/nlfuzz.2 &
	second=$!
	nlfuzz -n $(($1 / 2)) -s "$2" >/tmp/nlfuzz.1 || code=$?
	wait "$second" || code=$?
	cat /tmp/nlfuzz.1 /tmp/nlfuzz.2
	[ $code = 0 ] || fail "nlfuzz: exit code $code, see above"
}

# summary N EXPRESSION: of what the Nth sender printed, which ends with JSON.
summary() { sed -n '/^{"seed"/,$p' "/tmp/nlfuzz.$1" | jq "$2"; }

# It would be no test if hardly a message came through to the handlers.
expect_depth() {
	local n

	for n in 1 2; do
		[ "$(summary $n '.accepted * 5 > .messages')" = true ] ||
			fail "sender $n: few of its messages were accepted"
		[ "$(summary $n '.dumps > 0 and .abandoned > 0 and (.errors | length) > 3')" = true ] ||
			fail "sender $n: no dumps, or few different answers"
	done
}

# All but notifications, which are no requests.
expect_all_commands() {
	local missing

	missing=$(summary 1 '[.commands | to_entries[] |
		select(.value.accepted == 0 and (.key | endswith("-ntf") | not)) | .key] | join(" ")')
	expect "commands that never succeeded" "$missing" '""'
}

# Most of them here: QPs that come and go take all of an emulated machine.
test_fuzz_under_traffic() {
	module_on
	mode balance
	watch_start -q 4 -l 2,3,1,4 -p 2000
	fuzz "$messages" "$seed"
	expect_depth
	expect_all_commands
	watch_goes_on 50
	watch_stop
	mode observe
	expect_equal_tables
	module_off
}

test_fuzz_while_qps_come_and_go() {
	module_on
	mode balance
	watch_start -q 2 -l 2,3 -p 2000
	churn_start
	fuzz $((messages / (SF_SLOW > 1 ? 20 : 3))) $((seed + 2))
	expect_depth
	watch_goes_on 50
	churn_stop
	watch_stop
	wait_for only_kernel_qps
	mode observe
	expect_equal_tables
	module_off
}

run_tests test_fuzz_under_traffic test_fuzz_while_qps_come_and_go
