// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0

#include "sfnl.h"

int main(int argc, char **argv)
{
	return sfnl_run(argc, argv);
}
