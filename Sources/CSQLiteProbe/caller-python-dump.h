// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "events.h"

bool python_caller_from_dump(
    void (*dump)(int, void *), void *thread_state, struct caller_event *caller, char *buffer, size_t size);
