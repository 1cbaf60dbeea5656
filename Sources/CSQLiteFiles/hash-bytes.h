// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stddef.h>
#include <stdint.h>

// A hash of eight bytes at a time, for look-ups only.
__attribute__((visibility("hidden"))) uint64_t hash_bytes(const void *bytes, size_t count, uint64_t seed);
