// SPDX-License-Identifier: Apache-2.0

// System calls that a program forbids itself. A filter may end the process at any call that the program does not make.

#define _GNU_SOURCE
#include "filters.h"

#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recording.h"
#include "tracer.h"

static void filter_added(bool is_strict, bool is_for_all_threads) {
  // Not even the clock can be read.
  if (is_strict) stop_recording();
  // Before the filter: LTTng's threads would run into it, or be left when the last of the program's ends.
  if (is_strict || is_for_all_threads) leave_lttng();
  is_filtered = true;
}

static int hook_prctl(int option, long a, long b, long c, long d) {
  if (option == PR_SET_SECCOMP) filter_added(a == SECCOMP_MODE_STRICT, false);
  return prctl(option, a, b, c, d);
}

long hook_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (UNLIKELY(number == SYS_seccomp) && (a == SECCOMP_SET_MODE_FILTER || a == SECCOMP_SET_MODE_STRICT))
    filter_added(a == SECCOMP_SET_MODE_STRICT, (b & SECCOMP_FILTER_FLAG_TSYNC) != 0);
  return syscall(number, a, b, c, d, e, f);
}

void *filter_hook(const char *name) {
  return strcmp(name, "prctl") == 0 ? (void *)hook_prctl : (void *)hook_syscall;
}
