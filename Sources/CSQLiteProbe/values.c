// SPDX-License-Identifier: Apache-2.0

// Values bound to a statement: a hash of them, and with STORE_VALUES their text.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

enum { HASHED_PARAMETERS = 16 };

static uint64_t mix(uint64_t index, uint64_t hash) {
  uint64_t mixed = (hash ^ index * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
  return mixed ^ (mixed >> 33);
}

// Replaces the value of one parameter, counted from 1, in the hash of all.
void value_bound(struct statement *statement, int index, uint64_t hash) {
  uint64_t mixed = mix((uint64_t)index, hash);
  statement->bound_count++;
  if (index >= 1 && index <= HASHED_PARAMETERS) {
    statement->bind_hash ^= statement->bound[index - 1] ^ mixed;
    statement->bound[index - 1] = mixed;
  } else {
    // Those behind count in the order in which they are bound; the first one begins again.
    if (index == HASHED_PARAMETERS + 1) statement->bind_hash ^= statement->bound_rest;
    if (index == HASHED_PARAMETERS + 1) statement->bound_rest = 0;
    uint64_t rest = statement->bound_rest * 31 + mixed;
    statement->bind_hash ^= statement->bound_rest ^ rest;
    statement->bound_rest = rest;
  }
}

// Keeps a value as an SQL literal, which becomes the statement's.
void value_kept(struct statement *statement, int index, const char *literal) {
  if (index < 1 || index > HASHED_PARAMETERS) return;
  free(statement->values[index - 1]);
  statement->values[index - 1] = literal ? strdup(literal) : NULL;
}

void values_cleared(struct statement *statement) {
  statement->bound_count = 0;
  statement->bind_hash = 0;
  statement->bound_rest = 0;
  statement->has_unknown_values = false;
  for (int i = 0; i < HASHED_PARAMETERS; i++) {
    statement->bound[i] = 0;
    if (UNLIKELY(statement->values[i] != NULL)) {
      free(statement->values[i]);
      statement->values[i] = NULL;
    }
  }
}

// The kept values, separated by ", ", as far as they fit; returns the count of bytes.
size_t values_text(const struct statement *statement, char *buffer, size_t size) {
  size_t count = 0;
  int last = HASHED_PARAMETERS;
  while (last > 0 && !statement->values[last - 1]) last--;
  buffer[0] = 0;
  for (int i = 0; i < last && count + 3 < size; i++) {
    const char *value = statement->values[i] ? statement->values[i] : "NULL";
    int written = snprintf(buffer + count, size - count, "%s%s", i > 0 ? ", " : "", value);
    if (written < 0 || (size_t)written >= size - count) break;
    count += (size_t)written;
  }
  return count;
}
