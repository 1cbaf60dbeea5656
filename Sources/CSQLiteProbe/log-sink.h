// SPDX-License-Identifier: Apache-2.0

// The file of the log, or standard error.

#pragma once

#include <stdbool.h>
#include <stddef.h>

// Opens the file for appending, or standard error if the path is NULL; returns 0 on success.
int sink_open(const char *path);
// Whether the recording has ended in whose folder the file is.
bool sink_has_ended(void);
// In a child of fork(): the file of that process, in the folder of a recording.
int sink_open_in_child(void);
// Writes the lines of a group.
void sink_write(const char *bytes, size_t count, int lines);
// The lines lost since the last one that was written, to be reported.
long sink_lost(void);
