// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdint.h>

// Runs a function without cancellation, and with enough stack.
void guarded(void (*function)(void), const uintptr_t arguments[6]);
#define WORD(value) ((uintptr_t)(value))
#define GUARDED(function, ...) guarded((void (*)(void))(function), (const uintptr_t[6]){__VA_ARGS__})
