// SPDX-License-Identifier: GPL-2.0
/* scaleFabric - tracepoints, the one place that defines them */
#define CREATE_TRACE_POINTS
#include "trace.h"
