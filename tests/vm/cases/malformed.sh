#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Netlink messages that no sane program sends, to a device that is busy.
#
# bed: two-planes
# timeout: 600
# kernels: 6.1 6.12

# shellcheck source=common.sh
. "$SF_TOP/tests/vm/cases/common.sh"

test_bad_messages() {
	module_on
	nlbad -d rxe0 -n 20000 -v || fail "see above"
	mode observe
	expect_equal_tables
}

# In mode balance a random message may be a good one: the QP moves, no more.
test_bad_messages_in_mode_balance() {
	module_on
	mode balance
	watch_start -q 2 -l 2 -p 1000
	nlbad -d rxe0 -n 10000 || fail "see above"
	watch_goes_on 50
	watch_stop
	mode observe
	module_off
}

run_tests test_bad_messages test_bad_messages_in_mode_balance
