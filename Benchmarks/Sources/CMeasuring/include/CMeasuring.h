/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMEASURING_H
#define CMEASURING_H

#include <stdint.h>

/* Calls of malloc, calloc, realloc and their aligned variants in this process so far. Linked into a
   program, it replaces the C library's and passes each call on. */
uint64_t CMeasuring_allocations(void);

/* Calls body. A function of C, because callgrind's --toggle-collect goes by an exact name. */
void CMeasuring_run(void (*body)(void *context), void *context);

/* The C library's version, which Swift's Glibc does not export. */
const char *CMeasuring_libc_version(void);

#endif
