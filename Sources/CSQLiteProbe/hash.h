// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "hash-bytes.h"

// The first terms of the hashes of values, by storage class.
enum value_hash { HASH_NULL = 2, HASH_TEXT, HASH_BLOB, HASH_DOUBLE };

static inline uint64_t hash_of_integer(int64_t value) { return (uint64_t)value * 0x9e3779b97f4a7c15u + 1; }

enum { LONGEST_HASHED = 1024 };
uint64_t hash_of_long_value(const void *bytes, size_t length, enum value_hash type);

// Long values are hashed by their beginning, end and length.
static inline uint64_t hash_value(const void *bytes, size_t length, enum value_hash type) {
  if (!bytes) return type;
  return length <= LONGEST_HASHED ? hash_bytes(bytes, length, type) : hash_of_long_value(bytes, length, type);
}

uint64_t hash_of_number(const char *bytes, size_t length);

// Of a text that spells an integer, the hash of that: drivers such as PHP's bind every value as text.
static inline uint64_t hash_of_text(const char *bytes, size_t length) {
  return length == 0 || (unsigned char)bytes[0] > '9' ? hash_value(bytes, length, HASH_TEXT) : hash_of_number(bytes, length);
}
