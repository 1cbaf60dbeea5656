// SPDX-License-Identifier: Apache-2.0

// A descriptor that takes lines whole, or not at all, and never keeps the program waiting for long.

#pragma once

#include <stddef.h>

// Opens the file for appending, or standard error if the path is NULL; returns 0 on success.
int sink_open(const char *path);
// Writes the lines of a group. Returns the lines lost before them, to be reported, or 0.
void sink_write(const char *bytes, size_t count, int lines);
long sink_lost(void);
void sink_reported(void);
