// SPDX-License-Identifier: Apache-2.0

#include "hash-bytes.h"
#include "result-hash.h"

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

enum { INTEGER = 1, REAL = 2 };

uint64_t CSQLiteFiles_hash_cell(uint64_t row, const struct CSQLiteFiles_cell *cell) {
  // The same values in other columns are another row.
  uint64_t seed = row * 0x9e3779b97f4a7c15u + (uint64_t)cell->type;
  // Rounded: a sum of the same numbers in another order has other last digits.
  float rounded = (float)cell->real;
  if (cell->type == INTEGER) return hash_bytes(&cell->integer, sizeof cell->integer, seed);
  if (cell->type == REAL) return hash_bytes(&rounded, sizeof rounded, seed);
  return hash_bytes(cell->bytes ? cell->bytes : "", cell->bytes ? (size_t)cell->byte_count : 0, seed);
}
