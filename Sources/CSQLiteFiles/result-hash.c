// SPDX-License-Identifier: Apache-2.0

#include "result-hash.h"

#include <stddef.h>
#include <string.h>

enum { INTEGER = 1, REAL = 2 };

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 32);
}

static uint64_t mix_bytes(uint64_t hash, const char *bytes, size_t count) {
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    hash = mix(hash, word);
  }
  uint64_t rest = 0;
  memcpy(&rest, bytes, count);
  return mix(hash, rest);
}

uint64_t CSQLiteFiles_hash_cell(uint64_t row, const struct CSQLiteFiles_cell *cell) {
  uint64_t hash = mix(row + 0x9e3779b97f4a7c15u, (uint64_t)cell->type);
  if (cell->type == INTEGER) return mix(hash, (uint64_t)cell->integer);
  if (cell->type == REAL) {
    // Rounded: a sum of the same numbers in another order has other last digits.
    float number = (float)cell->real;
    return mix_bytes(hash, (const char *)&number, sizeof number);
  }
  if (!cell->bytes || cell->byte_count <= 0) return hash;
  return mix_bytes(mix(hash, (uint64_t)cell->byte_count), cell->bytes, (size_t)cell->byte_count);
}
