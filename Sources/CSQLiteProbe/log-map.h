// SPDX-License-Identifier: Apache-2.0

// The end of a recording's log, mapped: a line costs no system call, and is in the file if the process is killed.
// The mapped part without lines is NULs at the end of the file, which readers skip.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Maps the mark of a recording; its first byte states whether the recording goes on; false without one.
bool log_map_open_mark(const char *folder);
// Whether that recording has ended.
bool log_map_has_ended(void);
// The length of the file without the NULs at its end; -1 where it is not mapped.
int64_t log_map_end(void);
// Copies a line; false if it does not fit.
bool log_map_write(const char *bytes, size_t count);
// Maps the file from its end on, with room for a line; false where that is not possible.
bool log_map_more(int descriptor, size_t count);
// Ends the mapping, and the file after its last line.
void log_map_close(int descriptor);
// In a child of fork(), where it is the parent's.
void log_map_forget(void);
