// SPDX-License-Identifier: Apache-2.0

// Where a thread was stopped, and whether it may be borrowed there.

#pragma once

#include "remote.h"
#include "thread.h"

enum location {
  LOCATION_SAFE,
  // The thread may hold a lock that the loading of a library needs.
  LOCATION_LOADER, LOCATION_ALLOCATOR, LOCATION_FORK,
  LOCATION_PROBE, LOCATION_HANDLER, LOCATION_LIBC, LOCATION_UNKNOWN,
};

// `waits_for_lock`: whether it waits for a lock of these parts. The thread that has the lock is another one.
enum location location_of(const struct remote *remote, const struct stopped_thread *stopped, bool *waits_for_lock);
const char *name_of_location(enum location location);
