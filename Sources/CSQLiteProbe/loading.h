// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>

// The hook for a function of libc, or NULL. Waiting functions are hooked in copies of SQLite alone.
void *loading_hook(const char *name, bool is_copy);

// The hook for one of SQLite's functions at an address, or NULL if it is not to be hooked.
void *sqlite_hook(const char *name, void *function);

// The same for a slot through which a copy calls one of its own functions. Connections that it
// opens in this way are observed by callbacks.
void *own_call_hook(const char *name, void *function);

// Whether a recorder that attaches to the process loaded the probe.
bool is_for_recorder(void);
