// SPDX-License-Identifier: Apache-2.0

#include "lifecycle.h"

#include <stddef.h>

static struct lifecycle *first;

void lifecycle_add(struct lifecycle *part) {
  part->next = first;
  first = part;
}

#define CALL_ALL(event) \
  void lifecycle_##event(void) { \
    for (const struct lifecycle *part = first; part; part = part->next) \
      if (part->event) part->event(); \
  }
CALL_ALL(start)
CALL_ALL(after_fork)
CALL_ALL(end)
