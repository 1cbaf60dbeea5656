// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "copies.h"

#pragma GCC visibility push(hidden)

extern void *const hooked_functions[MAX_COPIES][HOOKED_COUNT];
extern void *const own_open_functions[MAX_COPIES][3];

#pragma GCC visibility pop
