// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "events.h"

bool node_has_lines(void);
// Whether the thread is one of JavaScript, also where its lines cannot be looked up.
bool runs_javascript(void);
// Expensive. Only within a call of the program: a run may end in a garbage collection.
bool node_caller(struct caller_event *caller, char *buffer, size_t size);
