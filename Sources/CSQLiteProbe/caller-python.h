// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "events.h"

// Runs a function with the interpreter's lock, which it may wait for; errors that it sets are cleared.
bool with_python(void (*body)(void));
bool python_caller(struct caller_event *caller, char *buffer, size_t size, bool may_lock);
// On a thread without the interpreter's lock; expensive.
bool python_can_be_dumped(void);
// Whether this thread, which has not the lock, waits for a connection of SQLAlchemy's pool.
bool python_waits_for_pool(void);
bool python_caller_without_lock(struct caller_event *caller, char *buffer, size_t size);
