// SPDX-License-Identifier: Apache-2.0

// Hooks for the functions of libc that close descriptors. They keep LTTng's descriptors open, like
// its liblttng-ust-fd.so. Without them lttng-ust ends the process.

#define _GNU_SOURCE
#include "descriptors.h"

#include <limits.h>
#include <linux/close_range.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "events.h"
#include "state.h"
#include "tracer.h"

// See loading.c.
#pragma weak closefrom
#pragma weak close_range

// Not in the child of vfork(), which shares this memory and closes descriptors of its own.
static const struct tracepoints *in_this_process(void) { return tracepoints && lttng_is_here() ? tracepoints : NULL; }

int hook_close(int descriptor) {
  const struct tracepoints *lttng = in_this_process();
  return lttng ? lttng->close(descriptor, close) : close(descriptor);
}

int hook_fclose(FILE *file) {
  const struct tracepoints *lttng = in_this_process();
  return lttng ? lttng->close_file(file, fclose) : fclose(file);
}

void hook_closefrom(int first) {
  const struct tracepoints *lttng = in_this_process();
  if (lttng) lttng->close_from(first < 0 ? 0 : first, close);
  else closefrom(first);
}

int hook_close_range(unsigned first, unsigned last, int flags) {
  const struct tracepoints *lttng = in_this_process();
  if (!lttng || (flags & ~CLOSE_RANGE_UNSHARE) != 0 || first > last || first > INT_MAX)
    return close_range(first, last, flags);
  if (flags != 0 && unshare(CLONE_FILES) != 0) return -1;
  if (last >= INT_MAX) return lttng->close_from((int)first, close), 0;
  for (unsigned descriptor = first; descriptor <= last; descriptor++)
    lttng->close((int)descriptor, close);
  return 0;
}

void *descriptor_hook(const char *name) {
  if (strcmp(name, "close") == 0) return (void *)hook_close;
  if (strcmp(name, "fclose") == 0) return (void *)hook_fclose;
  if (strcmp(name, "closefrom") == 0) return (void *)hook_closefrom;
  return strcmp(name, "close_range") == 0 ? (void *)hook_close_range : NULL;
}
