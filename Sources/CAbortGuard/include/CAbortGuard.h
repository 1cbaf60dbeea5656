// SPDX-License-Identifier: Apache-2.0

#ifndef C_ABORT_GUARD_H
#define C_ABORT_GUARD_H

#include <stdbool.h>

/* Runs a function of a C library, and comes back even if the library calls abort() or divides by
 * zero. What the library prints to `stderr` meanwhile is dropped: it stood between the lines of our
 * own report.
 *
 * Why: libbabeltrace2 asserts what it found in a file, so that a corrupt one ends the process:
 * a member named twice in the metadata, a packet of negative size, a clock without a frequency.
 * Swift cannot call sigsetjmp.
 *
 * Returns false if the library aborted; what it was working on must not be touched again. */
bool CAbortGuard_run(void (*body)(void *context), void *context);

/* The same, and drops what it writes to file descriptor 2 as well, which takes a few system calls,
 * and which is dropped of other threads too. */
bool CAbortGuard_run_silently(void (*body)(void *context), void *context);

#endif
