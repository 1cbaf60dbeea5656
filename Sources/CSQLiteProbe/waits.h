// SPDX-License-Identifier: Apache-2.0

#pragma once

// The hook for a function by which a copy of SQLite waits, or NULL.
void *waiting_hook(const char *name);
