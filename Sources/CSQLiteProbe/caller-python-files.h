// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>

// How well a file fits as the program's own: 3 the program, 2 an installed package, 1 a library, 0 a launcher.
int rank_of_python_file(const char *file);
// Whether a library's file runs functions on a thread of its own, with a future that their caller awaits.
bool works_for_futures(const char *file);
// Whether a library's coroutine runs synchronous functions in a greenlet.
bool runs_in_greenlets(const char *file);
bool is_launcher(const char *file);
void python_files_start(void);
