// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdint.h>

#pragma GCC visibility push(hidden)

extern uint64_t received_messages;

// The connections and messages that the process has received: the count grows between the requests of a server, and
// stays the same between the writes of a loop.
static inline uint64_t received_count(void) { return __atomic_load_n(&received_messages, __ATOMIC_RELAXED); }

void count_message(void);

// The hook for a function of libc that receives from a socket or reads the standard input, or NULL.
void *network_hook(const char *name);

#pragma GCC visibility pop
