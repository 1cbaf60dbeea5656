// SPDX-License-Identifier: Apache-2.0

#ifndef CStoreTracepoints_h
#define CStoreTracepoints_h

#include <stdbool.h>
#include <stdint.h>

#endif
