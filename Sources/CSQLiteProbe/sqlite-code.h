// SPDX-License-Identifier: Apache-2.0

// The code ranges of copies of SQLite with hooked calls of libc, since they share an object with other code. A
// library that is SQLite alone is not among them: a function that SQLite calls may end with a jump into libc, and its
// caller then seems to be SQLite.

#pragma once

#include <stdbool.h>

// Adds the code of an object with a copy of SQLite: all of it, and of the program itself the functions of SQLite alone.
void add_sqlite_code(const void *base);
// Whether an address is in such code. May be called in a signal handler.
bool is_sqlite_code(const void *address);
