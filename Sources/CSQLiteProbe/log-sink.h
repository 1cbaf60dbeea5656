// SPDX-License-Identifier: Apache-2.0

// The file of the log, or standard error.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Opens the file for appending, or standard error if the path is NULL; returns 0 on success.
int sink_open(const char *path);
// Whether the recording of the file's folder has ended.
bool sink_has_ended(void);
// In a child of fork(): the file of that process, in the folder of a recording.
int sink_open_in_child(void);
// Whether it is the file of this process in the folder of a recording, which has short lines.
bool sink_is_mapped(void);
// The length of the file after its last line; -1 if it is unknown.
int64_t sink_end(void);
// Ends the file after its last line, unless its recording has ended.
void sink_close(void);
// In a child of fork(), before it opens its own.
void sink_after_fork(void);
// Writes the lines of a group.
void sink_write(const char *bytes, size_t count, int lines);
// The lines lost since the last one that was written, to be reported.
long sink_lost(void);
