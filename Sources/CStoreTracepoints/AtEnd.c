// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CStoreTracepoints.h"

#include <stdlib.h>

static void (*at_end)(int32_t status);
static int exit_status;

static void keep_status(int status, void *context) {
  (void)context;
  exit_status = status & 0xff;
}

void CStoreTracepoints_at_end(void (*function)(int32_t status)) {
  if (on_exit(keep_status, NULL) == 0) at_end = function;
}

// A destructor runs after the handlers of atexit(), in which a store may still write.
__attribute__((destructor)) static void end(void) {
  if (at_end) at_end(exit_status);
}
