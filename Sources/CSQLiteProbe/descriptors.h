// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdio.h>
#include <unistd.h>

#include "events.h"
#include "macros.h"
#include "open-databases.h"

// Reads LTTng's own descriptors once, and follows them: closing any other one needs no check by LTTng.
void follow_lttng_descriptors(const struct tracepoints *lttng);

// The hooks, for other files of the probe.
int close_at_lttng(int descriptor);
int fclose_at_lttng(FILE *file);

static inline bool is_below_lttng(int descriptor) {
  return LIKELY((unsigned)descriptor < __atomic_load_n(&file_watch.first_of_lttng, __ATOMIC_RELAXED));
}

static inline int hook_close(int descriptor) {
  return is_below_lttng(descriptor) ? close(descriptor) : close_at_lttng(descriptor);
}

static inline int hook_fclose(FILE *file) {
  return file && is_below_lttng(fileno(file)) ? fclose(file) : fclose_at_lttng(file);
}
void hook_closefrom(int first);
int hook_close_range(unsigned first, unsigned last, int flags);

// The hook for a function that closes descriptors, or NULL.
void *descriptor_hook(const char *name);
