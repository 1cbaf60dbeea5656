// SPDX-License-Identifier: Apache-2.0

// A stopped thread that makes calls on a stack of its own, and is set back then.

#pragma once

#include <sys/uio.h>

#include "remote.h"
#include "thread.h"

enum call_result { CALL_RETURNED, CALL_HUNG, CALL_ENDED, CALL_FAILED };

struct borrowed {
  struct stopped_thread thread;
  const struct remote *remote;
  // The instruction `syscall`, to which the called functions return.
  uintptr_t gadget;
  // The stack, and the bytes of texts at its upper end.
  uintptr_t stack, used;
  // Of the program: signals, registers for floating point, and errno.
  uint64_t mask;
  unsigned char vectors[16384];
  struct iovec vector;
  uintptr_t error_address;
  int error;
};

bool borrow(struct borrowed *borrowed, const struct stopped_thread *thread, const struct remote *remote,
            uintptr_t gadget, uintptr_t error_location);
// Copies a text to the stack; returns its address, 0 on failure.
uintptr_t put_text(struct borrowed *borrowed, const char *text);
enum call_result call_function(struct borrowed *borrowed, uintptr_t function, uintptr_t first, uintptr_t second,
                               int64_t deadline, uintptr_t *value);
// After CALL_HUNG the stack stays mapped.
void give_back(struct borrowed *borrowed, bool may_unmap);
