// SPDX-License-Identifier: Apache-2.0

// Where a thread was stopped, and whether it may be borrowed there.

#pragma once

#include "remote.h"
#include "thread.h"

enum place {
  PLACE_SAFE,
  // The thread may hold a lock that the loading of a library needs.
  PLACE_LOADER, PLACE_ALLOCATOR, PLACE_FORK,
  PLACE_PROBE, PLACE_HANDLER, PLACE_LIBC, PLACE_UNKNOWN,
};

// `waits_for_lock`: whether it waits for a lock of these parts. The thread that has the lock is another one.
enum place place_of(const struct remote *remote, const struct stopped_thread *stopped, bool *waits_for_lock);
const char *name_of_place(enum place place);
