// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

// Writes a line for each thread that runs Python; returns false in a process without Python. Waits for the interpreter's
// lock, so that only a thread of the probe's own may call it.
bool write_python_threads(int file);

#pragma GCC visibility pop
