#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Test of the bash completion, in TAP: what follows which line.
#
#	completion.sh COMPLETION-FILE

set -uo pipefail

# shellcheck source=/dev/null
source "${1:?usage: completion.sh COMPLETION-FILE}"

tests=0
failures=0

# The tables of a host with two devices; a process has a hostile name.
sfnl() {
	case "$*" in
	"-s dev show")
		printf 'rxe0\t0\trdma_rxe\nmlx5_0\t1\tmlx5_ib\n' ;;
	"-s lane show")
		printf 'rxe0\t1\t0\tplane0\nrxe0\t1\t1\tplane1\nmlx5_0\t2\t0\teth4\n' ;;
	"-s lane show dev rxe0")
		printf 'rxe0\t1\t0\tplane0\nrxe0\t1\t1\tplane1\n' ;;
	"-s qp show")
		printf 'rxe0\t1\t17\t18\tRC\tRTS\t1\tplane1\t3\t49155\t1024\t231\tib bw\t-\n'
		# shellcheck disable=SC2016
		printf 'mlx5_0\t-\t1\t-\tGSI\tRTS\t-\t-\t-\t-\t-\t-\t$(echo x)\t-\n' ;;
	"-s qp show dev rxe0")
		printf 'rxe0\t1\t17\t18\tRC\tRTS\t1\tplane1\t3\t49155\t1024\t231\tib bw\t-\n' ;;
	esac
}

# What the package bash-completion does, for words without quotes.
_init_completion() {
	cword=$COMP_CWORD
	words=("${COMP_WORDS[@]}")
	cur=${words[cword]}
	prev=${words[cword - 1]}
}

completes() { # LINE EXPECTED...; a line that ends in a blank has an empty word
	local line=$1 got

	shift
	read -ra COMP_WORDS <<<"$line"
	[[ $line == *" " ]] && COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_sfnl

	((++tests))
	got="${COMPREPLY[*]}"
	if [[ $got == "$*" ]]; then
		echo "ok $tests - completion: $line"
	else
		echo "# got: $got"
		echo "# expected: $*"
		echo "not ok $tests - completion: $line"
		((++failures))
	fi
}

completes "sfnl " -d -h -j -p -s -V dev lane qp monitor version help
completes "sfnl -j l" lane
completes "sfnl -j -p qp " show rebind help
completes "sfnl dev s" show set
completes "sfnl dev show " mlx5_0 rxe0
completes "sfnl dev show rxe0 "
completes "sfnl dev set r" rxe0
completes "sfnl dev set rxe0 " mode drain-timeout
completes "sfnl dev set rxe0 mode b" balance
completes "sfnl dev set rxe0 drain-timeout "
completes "sfnl lane show " dev
completes "sfnl lane show dev m" mlx5_0
completes "sfnl qp show l" link lqpn lane
completes "sfnl qp show link r" rxe0/1
completes "sfnl qp show state R" RESET RTR RTS
completes "sfnl qp show type X" XRC_INI XRC_TGT
completes "sfnl qp show lqpn " 1 17
completes "sfnl qp show pid " 231
completes "sfnl qp show comm " "\\\$\\(echo\\ x\\)" "ib\\ bw"
completes "sfnl qp show lane " 0 1 eth4 plane0 plane1
completes "sfnl qp rebind dev rxe0 lqpn " 17
completes "sfnl qp rebind link rxe0/1 lqpn 17 lane " 0 1 plane0 plane1
completes "sfnl qp rebind dev rxe0 lqpn 17 f" flow-label
completes "sfnl monitor event r" rebind
completes "sfnl version " help

echo "1..$tests"
exit $((failures > 0))
