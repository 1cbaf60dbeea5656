// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reads a file of /proc to its end or the buffer's; returns the count of bytes, or 0.
size_t read_file(const char *path, char *buffer, size_t size);
int64_t clock_now(void);
int64_t clock_coarse(void);
int64_t process_start_ns(void);
const char *process_name(void);
const char *program_name(void);
bool program_is_interpreter(void);
// The ids of the process and the thread, without a system call where the program restricts these.
int current_process(void);
int32_t thread_id(void);
void find_start_folder(void);
// The folder in which the program started, with a slash at its end; "" if it is not known.
const char *start_folder(void);
