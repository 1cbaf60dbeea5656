// SPDX-License-Identifier: Apache-2.0

#include "sqlite-code.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "lifecycle.h"
#include "objects.h"
#include "symbol-table.h"

struct range {
  const char *start, *end;
};

// Further objects than these are not recorded: their file operations would count as the program's.
enum { MAX_RANGES = 64 };
static struct range ranges[MAX_RANGES];
static const void *bases[MAX_RANGES];
static unsigned range_count, base_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add_range(struct range range) {
  if (range_count == MAX_RANGES || range.start >= range.end) return;
  ranges[range_count] = range;
  __atomic_store_n(&range_count, range_count + 1, __ATOMIC_RELEASE);
}

static void extend(struct range *range, const char *address, size_t size) {
  if (!range->start || address < range->start) range->start = address;
  if (address + size > range->end) range->end = address + size;
}

// The compiler moves unlikely parts of functions to another address: `sqlite3_step.cold`.
struct functions {
  struct range usual, unlikely;
};

static bool add_function(void *context, const char *name, const void *address, size_t size) {
  struct functions *functions = context;
  if (strncmp(name, "sqlite3", 7) != 0) return false;
  extend(strstr(name, ".cold") ? &functions->unlikely : &functions->usual, address, size);
  return false;
}

void add_sqlite_code(const void *base) {
  struct functions functions = {0};
  struct range all;
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; i < base_count; i++)
    if (bases[i] == base) goto done;
  if (base_count < MAX_RANGES) bases[base_count++] = base;
  // Its own path may be relative to another folder.
  if (base == base_of_program()) find_symbol(object_path(""), base, add_function, &functions);
  if (functions.usual.start) {
    add_range(functions.usual);
    add_range(functions.unlikely);
  } else {
    object_extent(base, (const void **)&all.start, (const void **)&all.end);
    add_range(all);
  }
done:
  pthread_mutex_unlock(&lock);
}

bool is_sqlite_code(const void *address) {
  unsigned count = __atomic_load_n(&range_count, __ATOMIC_ACQUIRE);
  for (unsigned i = 0; i < count; i++)
    if ((const char *)address >= ranges[i].start && (const char *)address < ranges[i].end) return true;
  return false;
}

// The thread that forked may not be the one that held the lock.
static void after_fork(void) { pthread_mutex_init(&lock, NULL); }

LIFECYCLE(.after_fork = after_fork)
