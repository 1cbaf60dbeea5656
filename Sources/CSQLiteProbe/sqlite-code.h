// SPDX-License-Identifier: Apache-2.0

// Where the code of the copies of SQLite is.

#pragma once

#include <stdbool.h>

// Adds the code of an object with a copy of SQLite: all of it, and of the program itself the functions of SQLite alone.
void add_sqlite_code(const void *base);
// Whether an address is in such code. May be called in a signal handler.
bool is_sqlite_code(const void *address);
