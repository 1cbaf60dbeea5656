// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdio.h>

#include "events.h"

// Reads LTTng's own descriptors once, and follows them: closing any other one needs no check by LTTng.
void follow_lttng_descriptors(const struct tracepoints *lttng);

// The hooks, for other files of the probe.
int hook_close(int descriptor);
int hook_fclose(FILE *file);
void hook_closefrom(int first);
int hook_close_range(unsigned first, unsigned last, int flags);

// The hook for a function that closes descriptors, or NULL.
void *descriptor_hook(const char *name);
