// SPDX-License-Identifier: Apache-2.0

// Values bound to a statement: a hash of them, and with STORE_TRACE_VALUES their text.

#define _GNU_SOURCE
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "guard.h"
#include "hash.h"
#include "lifecycle.h"
#include "process.h"
#include "recording.h"

// The values cannot be read from a hash without the key.
static uint64_t keys[2];

static void start(void) {
  if (!is_filtered && syscall(SYS_getrandom, keys, sizeof keys, 1 /* GRND_NONBLOCK */) == sizeof keys) return;
  keys[0] = (uint64_t)clock_now() * 0x9e3779b97f4a7c15u;
  keys[1] = (uint64_t)getpid() * 0xc4ceb9fe1a85ec53u ^ (uint64_t)time(NULL);
}

static uint64_t mix(uint64_t index, uint64_t hash) {
  __uint128_t product = (__uint128_t)(hash ^ keys[0]) * ((index * 0x9e3779b97f4a7c15u ^ keys[1]) | 1);
  uint64_t folded = (uint64_t)product ^ (uint64_t)(product >> 64) ^ keys[1];
  return folded * 0xff51afd7ed558ccdu ^ (folded >> 31);
}

uint64_t keyed_hash(const char *text) { return mix(0, hash_bytes(text, strlen(text), keys[1])); }

// Replaces the value of one parameter, counted from 1, in the hash of all.
void value_bound(struct statement *statement, int index, uint64_t hash) {
  uint64_t mixed = mix((uint64_t)index, hash);
  statement->bound_count++;
  if (index >= 1 && index <= HASHED_PARAMETERS) {
    statement->bind_hash ^= statement->hashes[index - 1].mixed ^ mixed;
    statement->hashes[index - 1] = (struct bound_hash){mixed, hash};
    return;
  }
  // Further parameters are hashed in the order in which they are bound; binding the first one
  // starts again.
  uint64_t last = statement->bound_rest;
  statement->bound_rest = (index == HASHED_PARAMETERS + 1 ? 0 : last * 31) + mixed;
  statement->bind_hash ^= last ^ statement->bound_rest;
}

// SQLite's own limit, since 3.32.
enum { MOST_PARAMETERS = 32766 };

static bool has_room(struct bound_values *values, int index) {
  if (index <= values->room) return true;
  if (index > (values_are_whole ? MOST_PARAMETERS : KEPT_PARAMETERS)) return false;
  int room = index <= KEPT_PARAMETERS ? KEPT_PARAMETERS : index * 2;
  char **literals = realloc(values->literals, (size_t)room * sizeof *literals);
  if (!literals) return false;
  memset(literals + values->room, 0, (size_t)(room - values->room) * sizeof *literals);
  values->literals = literals;
  values->room = room;
  return true;
}

// Records a value as an SQL literal.
void value_kept(struct statement *statement, int index, char *literal) {
  struct bound_values *values = &statement->values;
  if (index > values->count) values->count = index;
  if (index < 1 || !has_room(values, index)) {
    free(literal);
    return;
  }
  free(values->literals[index - 1]);
  values->literals[index - 1] = literal;
}

void values_cleared(struct statement *statement) {
  statement->bound_count = 0;
  statement->bind_hash = 0;
  statement->bound_rest = 0;
  statement->has_unknown_values = false;
  memset(statement->hashes, 0, sizeof statement->hashes);
  struct bound_values *values = &statement->values;
  if (LIKELY(!values->literals)) return;
  for (int i = 0; i < values->room; i++) free(values->literals[i]);
  free(values->literals);
  *values = (struct bound_values){0};
}

enum { LONGEST_TUPLE = 4096 };

// The kept values, separated by ", "; values that do not fit are counted.
static void write_tuple(const struct statement *statement, char *buffer, size_t size) {
  size_t count = 0;
  int i = 0, last = statement->values.count;
  buffer[0] = 0;
  for (; i < last && i < statement->values.room; i++) {
    const char *value = statement->values.literals[i] ? statement->values.literals[i] : "NULL";
    if (count + strlen(value) + 2 > LONGEST_TUPLE) break;
    count += (size_t)snprintf(buffer + count, size - count, "%s%s", i > 0 ? ", " : "", value);
  }
  if (i < last) snprintf(buffer + count, size - count, " /* %d more */", last - i);
}

enum { SAMPLE = 64 };

struct value_sample {
  uint64_t known[SAMPLE];
  unsigned count;
  uint64_t others;
  uint64_t random;
};

static bool is_known(const struct value_sample *sample, uint64_t hash) {
  for (unsigned i = 0; i < sample->count; i++)
    if (sample->known[i] == hash) return true;
  return false;
}

// Whether a tuple is to be recorded: the first 64 distinct ones, then a reservoir sample of 64.
static bool is_sampled(struct text *text, uint64_t hash) {
  struct value_sample *sample = text->values;
  if (!sample) sample = text->values = calloc(1, sizeof *sample);
  if (!sample || is_known(sample, hash)) return false;
  if (sample->count < SAMPLE) {
    sample->known[sample->count++] = hash;
    return true;
  }
  sample->others++;
  sample->random = (sample->random ^ hash) * 6364136223846793005u + 1442695040888963407u;
  return (sample->random >> 33) % sample->others < SAMPLE;
}

static void record_tuple(const struct statement *statement) {
  char tuple[LONGEST_TUPLE + 64];
  write_tuple(statement, tuple, sizeof tuple);
  EMIT(values, .store_id = statement->connection->id,
         .statement_id = statement->text->statement_id, .values = tuple);
}

void record_bound_values(const struct statement *statement, uint64_t hash) {
  if (statement->values.literals && statement->text->is_shared && is_sampled(statement->text, hash))
    GUARDED(record_tuple, WORD(statement));
}

LIFECYCLE(.start = start)
