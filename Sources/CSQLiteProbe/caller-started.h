// SPDX-License-Identifier: Apache-2.0

// The package with the script that was started, such as bin/sqlite-utils: it is the program.

#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

void find_started_package(void);
bool is_of_started_package(const char *package);
// Whether a file of Python is a script that only starts a package.
bool is_launcher(const char *file);

#pragma GCC visibility pop
