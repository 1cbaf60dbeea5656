// SPDX-License-Identifier: Apache-2.0

// The frame of Python that is the program's own.

#pragma once

#include "events.h"

#pragma GCC visibility push(hidden)

// The frame that fits best so far, with its rank; a reference.
struct ranked_frame {
  int rank;
  void *frame;
  // Of a Jupyter notebook, when it is described.
  bool is_cell;
};

int rank_of_frame(void *frame, const char *file);
void keep_frame(struct ranked_frame *best, int rank, void *frame);
// Looks at a frame and its callers. With `worker`, stops behind the one that takes work for futures, and keeps it.
void look_at_frames(void *frame, struct ranked_frame *best, void **worker);
// Whether a library's coroutine runs synchronous functions in a greenlet.
bool runs_in_greenlets(const char *file);
// Describes the frame, and releases it; returns false without one.
bool describe_best_frame(struct ranked_frame *best, struct caller_event *caller, char *buffer, size_t size);

#pragma GCC visibility pop
