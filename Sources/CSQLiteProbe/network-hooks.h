// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdint.h>

#pragma GCC visibility push(hidden)

extern uint64_t received_messages;

// The connections and messages that the process has received: between those of a server's requests it has received
// something, between the writes of a loop it has not.
static inline uint64_t received_count(void) { return __atomic_load_n(&received_messages, __ATOMIC_RELAXED); }

// The hook for a function of libc that receives from a socket, or NULL.
void *network_hook(const char *name);

#pragma GCC visibility pop
