#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
# A host that only does what others ask of it.

# shellcheck source=two-planes.sh
. "$SF_TOP/tests/vm/lib/two-planes.sh"
serve
