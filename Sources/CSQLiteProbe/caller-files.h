// SPDX-License-Identifier: Apache-2.0

// Which files of interpreters are the program's own.

#pragma once

#include "CSourceFiles.h"

#pragma GCC visibility push(hidden)

void caller_files_start(void);
// Like Swift's #fileID, a location must be the same on two machines with the same project.
const char *without_start_folder(const char *file);
// A helper is a line of the program that runs statements for others.
enum { RANK_LAUNCHER, RANK_RUNTIME, RANK_PACKAGE, RANK_HELPER, RANK_PROGRAM };
// The greatest rank among the frames of a stack, innermost first, is the program's.
int rank_of_file(const char *file, enum CSourceFiles_language language);

#pragma GCC visibility pop
