// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>

// How well a file fits as the program's own: 3 the program, 2 an installed package, 1 a library, 0 a launcher.
int rank_of_python_file(const char *file);
bool is_launcher(const char *file);
void python_files_start(void);
