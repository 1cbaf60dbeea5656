// SPDX-License-Identifier: Apache-2.0

// The functions of the probe's files for the start, the forks and the end of the process.

#pragma once

struct lifecycle {
  // Called with the first connection, in the child of a fork, and when the process ends.
  void (*start)(void);
  void (*after_fork)(void);
  void (*end)(void);
  struct lifecycle *next;
};

void lifecycle_add(struct lifecycle *part);
void lifecycle_start(void);
void lifecycle_after_fork(void);
void lifecycle_end(void);

// Before all other constructors, which may observe a copy of SQLite.
#define LIFECYCLE(...) \
  static struct lifecycle lifecycle = {__VA_ARGS__}; \
  __attribute__((constructor(101))) static void add_lifecycle(void) { lifecycle_add(&lifecycle); }
