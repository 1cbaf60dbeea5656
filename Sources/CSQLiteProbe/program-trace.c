// SPDX-License-Identifier: Apache-2.0

// SQLite has no function that returns a connection's trace callback. Its offset in the connection is found by one of
// ours, which is there for a moment:
//
//     u8 mTrace … union { xLegacy, xV2 } trace; void *pTraceArg; void (*xProfile)(…); void *pProfileArg;

#include "program-trace.h"

#include <string.h>

#include "copies.h"
#include "opening.h"

enum {
  // The fields are in the first 400 bytes of all versions from 3.14 to 3.51, and a connection has more than 600.
  EXAMINED = 512,
  OUR_MASK = SQLITE_TRACE_STMT | SQLITE_TRACE_ROW,
  LEGACY_TRACE = 0x40, LEGACY_PROFILE = 0x80,
};

static int ignore(unsigned event, void *context, void *first, void *second) {
  (void)event, (void)context, (void)first, (void)second;
  return 0;
}

struct fields {
  size_t mask, callback;
};

static bool find_callback(const unsigned char *bytes, const void *context, size_t *offset) {
  void *const words[] = {(void *)ignore, (void *)context};
  for (*offset = 0; *offset + 4 * sizeof(void *) <= EXAMINED; *offset += sizeof(void *))
    if (memcmp(bytes + *offset, words, sizeof words) == 0) return true;
  return false;
}

// The byte that had each of two masks in turn, and differs.
static bool find_mask(const unsigned char *first, const unsigned char *second, size_t *offset) {
  size_t found = 0;
  for (size_t i = 0; i < EXAMINED; i++)
    if (first[i] == OUR_MASK && second[i] == SQLITE_TRACE_STMT) {
      *offset = i;
      found++;
    }
  return found == 1;
}

void find_program_trace(struct connection *connection) {
  const struct copy *copy = connection->copy;
  sqlite3 *handle = connection->handle;
  unsigned char before[EXAMINED], first[EXAMINED], second[EXAMINED];
  void *words[4];
  struct fields fields;
  memcpy(before, handle, EXAMINED);
  copy->api.trace_v2(handle, OUR_MASK, ignore, connection);
  memcpy(first, handle, EXAMINED);
  copy->api.trace_v2(handle, SQLITE_TRACE_STMT, ignore, connection);
  memcpy(second, handle, EXAMINED);
  bool is_found = find_callback(second, connection, &fields.callback) && find_mask(first, second, &fields.mask);
  unsigned mask = is_found ? before[fields.mask] : 0;
  connection->program_trace = NULL;
  connection->program_plain_trace = NULL;
  connection->program_profile = NULL;
  connection->program_trace_context = connection->program_plain_context = connection->program_profile_context = NULL;
  connection->is_profiled = false;
  if (is_found) memcpy(words, before + fields.callback, sizeof words);
  if (mask & LEGACY_TRACE) {
    connection->program_plain_trace = (plain_trace_callback)words[0];
    connection->program_plain_context = words[1];
  } else if (mask & 0xf) {
    connection->program_trace = (trace_callback)words[0];
    connection->program_trace_context = connection->program_plain_context = words[1];
    connection->program_mask = mask & 0xf;
  }
  if (mask & LEGACY_PROFILE) {
    connection->program_profile = (profile_callback)words[2];
    connection->program_profile_context = words[3];
    connection->is_profiled = true;
  }
  set_trace(connection, 0);
}
