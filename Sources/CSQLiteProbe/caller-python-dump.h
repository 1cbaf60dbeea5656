// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "events.h"

// What the fault handler writes about a thread, innermost frame first; returns the length, or 0.
size_t python_dump(void (*dump)(int, void *), void *thread_state, char *text, size_t size);
bool python_caller_from_dump(
    void (*dump)(int, void *), void *thread_state, struct caller_event *caller, char *buffer, size_t size);
