// SPDX-License-Identifier: Apache-2.0

#include "log-check.h"

#include <string.h>

static uint64_t mixed(uint64_t value) {
  uint64_t product = value * 0x9e3779b97f4a7c15u;
  return product ^ product >> 32;
}

// Same as StoreEvents/ContentHash.swift.
uint64_t line_hash(const char *bytes, size_t count) {
  uint64_t hash = mixed(0xcbf29ce484222325u ^ count);
  while (count >= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    hash = mixed(hash ^ word);
    bytes += 8;
    count -= 8;
  }
  uint64_t rest = 0;
  memcpy(&rest, bytes, count);
  return mixed(hash ^ rest);
}

void check_lines(struct log_check *check, const char *bytes, size_t count) {
  const char *end = bytes + count;
  while (bytes < end) {
    const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
    if (!feed) return;
    check->lines++;
    check->sum += line_hash(bytes, (size_t)(feed - bytes));
    bytes = feed + 1;
  }
}
