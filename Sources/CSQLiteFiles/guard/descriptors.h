// SPDX-License-Identifier: Apache-2.0

#ifndef descriptors_h
#define descriptors_h

#include <limits.h>
#include <sys/stat.h>

// Opens a regular file for reading, without waiting; -1 for anything else.
int open_regular(const char *path);

// The same for a file that SQLite may have locked: closing any descriptor of a file drops all locks that this
// process has on it, so the descriptor is kept while the process has the file open elsewhere.
int descriptor_open(const char *path);
void descriptor_close(int number);

#endif
