// SPDX-License-Identifier: Apache-2.0

#include "hash.h"

#include <stdbool.h>
#include <string.h>

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
