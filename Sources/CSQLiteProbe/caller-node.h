// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "events.h"

bool node_has_lines(void);
// Expensive. Only when a run begins: one may end in a garbage collection.
bool node_caller(struct caller_event *caller, char *buffer, size_t size);
