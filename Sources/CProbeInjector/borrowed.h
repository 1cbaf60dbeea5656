// SPDX-License-Identifier: Apache-2.0

// A stopped thread that makes calls for us, and goes on then. At each moment from borrow() to give_back() the thread
// returns to the program by itself where this process ends: it runs as in a signal handler, above a frame by which the
// kernel restores registers and signals.

#pragma once

#include <sys/uio.h>

#include "remote.h"
#include "thread.h"

enum call_result { CALL_RETURNED, CALL_HUNG, CALL_ENDED, CALL_FAULT };

// Addresses in the process.
struct functions {
  // The instructions `syscall` and, without an error, `ret`; and the call of rt_sigreturn() that ends a handler.
  uintptr_t gadget, restorer;
  uintptr_t error_location, open, find;
};

enum { MAX_VECTORS = 16384, MAX_FRAME = MAX_VECTORS + 1024 };

struct borrowed {
  struct stopped_thread thread;
  const struct remote *remote;
  const struct functions *functions;
  // Of the program: signals, and registers for floating point.
  uint64_t mask;
  unsigned char vectors[MAX_VECTORS];
  struct iovec vector;
  // The frame on the thread's stack, and what is there otherwise.
  uintptr_t frame;
  size_t frame_size;
  unsigned char covered[MAX_FRAME];
  // The memory for the call: code, data and a stack.
  uintptr_t region;
};

// The frame of a signal handler that returns to where the thread was, for an address; returns its size.
size_t make_frame(const struct borrowed *borrowed, uintptr_t address, unsigned char bytes[MAX_FRAME]);
bool borrow(struct borrowed *borrowed, const struct stopped_thread *thread, const struct remote *remote,
            const struct functions *functions);
// Loads a library, and calls its function with a text, or with NULL. CALL_FAULT: it was not loaded.
enum call_result call_library(struct borrowed *borrowed, const char *library, const char *function, const char *text,
                              int64_t deadline, int *value);
// After CALL_HUNG the thread is set back where it only waits for a lock; otherwise the call completes without us.
void give_back(struct borrowed *borrowed, enum call_result result);
