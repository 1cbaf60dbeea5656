// SPDX-License-Identifier: Apache-2.0

#include "hash.h"

#include <stdbool.h>
#include <string.h>

uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed) {
  const unsigned char *at = bytes;
  uint64_t hash = seed ^ (length * 0x9e3779b97f4a7c15u);
  while (length >= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
    at += 8;
    length -= 8;
  }
  uint64_t rest = 0;
  memcpy(&rest, at, length);
  hash = (hash ^ rest) * 0xc4ceb9fe1a85ec53u;
  return hash ^ (hash >> 29);
}

uint64_t hash_of_long_value(const void *bytes, size_t length, enum value_hash type) {
  const char *end = (const char *)bytes + length - LONGEST_HASHED / 2;
  return hash_bytes(end, LONGEST_HASHED / 2, hash_bytes(bytes, LONGEST_HASHED / 2, type ^ length));
}

uint64_t hash_of_number(const char *bytes, size_t length) {
  // As SQLite spells it; 18 digits fit.
  bool is_negative = length > 1 && bytes[0] == '-';
  size_t first = is_negative;
  if (length > first && length <= first + 18 && (bytes[first] != '0' || length == 1)) {
    int64_t number = 0;
    for (; first < length && bytes[first] >= '0' && bytes[first] <= '9'; first++) number = number * 10 + (bytes[first] - '0');
    if (first == length) return hash_of_integer(is_negative ? -number : number);
  }
  return hash_value(bytes, length, HASH_TEXT);
}
