// SPDX-License-Identifier: Apache-2.0

// The events of the probe, and their tracepoints: see Documentation/Vocabulary.md.

#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "vocabulary.h"

// The literals of a run that are kept at most.
enum { KEPT_PARAMETERS = 64 };

// SQL literals by parameter, NULL where none was bound.
struct bound_values {
  char **literals;
  // Up to the last one that was bound, and allocated.
  int count, room;
};

enum event_kind {
#define KIND(name) EVENT_##name,
  PROBE_EVENTS(KIND)
#undef KIND
  EVENT_COUNT
};

// The tracepoints, in a separate library that is loaded with the first connection.
struct tracepoints {
  // The states of the tracepoints `statement_run` and `statement`: any other value than 0 is on.
  const int *run_state, *statement_state;
  // Each takes the event's struct, and returns whether a session accepted the event.
  bool (*send[EVENT_COUNT])(const void *event);
  // Call `real`, except for LTTng's own descriptors.
  int (*close)(int descriptor, int (*real)(int));
  int (*close_file)(FILE *file, int (*real)(FILE *));
  int (*close_from)(int first, int (*real)(int));
  // Around fork(): LTTng's own threads do not survive it.
  void (*before_fork)(void *signals);
  void (*after_fork_parent)(void *signals);
  void (*after_fork_child)(void *signals);
};
