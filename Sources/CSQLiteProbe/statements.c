// SPDX-License-Identifier: Apache-2.0

// The state of each prepared statement, found by its address.

#include "statements.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lifecycle.h"
#include "state.h"
#include "values.h"

enum { BUCKETS = 4096 };

static struct statement *buckets[BUCKETS];
static struct statement *unused;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t hash_of(sqlite3_stmt *stmt) {
  return (uintptr_t)stmt * 0x9e3779b97f4a7c15u >> 52;
}

static struct statement **cache_of(sqlite3_stmt *stmt) {
  return &this_thread.cache[hash_of(stmt) % CACHED_STATEMENTS];
}

// The state of a statement, or NULL if there is none.
struct statement *find_statement(sqlite3_stmt *stmt) {
  struct statement **cached = cache_of(stmt);
  if (LIKELY(*cached && (*cached)->stmt == stmt)) return *cached;
  pthread_mutex_lock(&lock);
  struct statement *statement = buckets[hash_of(stmt)];
  while (statement && statement->stmt != stmt) statement = statement->next;
  pthread_mutex_unlock(&lock);
  if (statement) *cached = statement;
  return statement;
}

enum { PREPARED = sizeof this_thread.prepared / sizeof *this_thread.prepared };

void statement_prepared(sqlite3_stmt *stmt, int64_t ns) {
  unsigned next = this_thread.prepared_count++ % PREPARED;
  this_thread.prepared[next].stmt = stmt;
  this_thread.prepared[next].ns = ns;
}

static int64_t take_prepare_time(sqlite3_stmt *stmt) {
  for (unsigned i = 1; i <= PREPARED; i++) {
    unsigned last = (this_thread.prepared_count - i) % PREPARED;
    if (this_thread.prepared[last].stmt != stmt) continue;
    this_thread.prepared[last].stmt = NULL;
    return this_thread.prepared[last].ns;
  }
  return 0;
}

struct statement *add_statement(sqlite3_stmt *stmt, struct connection *connection) {
  pthread_mutex_lock(&lock);
  struct statement *statement = unused;
  if (statement) unused = statement->next;
  else statement = malloc(sizeof *statement);
  if (statement) {
    memset(statement, 0, sizeof *statement);
    struct statement **bucket = &buckets[hash_of(stmt)];
    statement->stmt = stmt;
    statement->connection = connection;
    statement->prepare_ns = take_prepare_time(stmt);
    statement->next = *bucket;
    *bucket = statement;
    *cache_of(stmt) = statement;
  }
  pthread_mutex_unlock(&lock);
  return statement;
}

void forget_statement(sqlite3_stmt *stmt) {
  pthread_mutex_lock(&lock);
  struct statement **link = &buckets[hash_of(stmt)];
  while (*link && (*link)->stmt != stmt) link = &(*link)->next;
  struct statement *statement = *link;
  if (statement) {
    *link = statement->next;
    values_cleared(statement);
    release_text(statement->text);
    statement->text = NULL;
    __atomic_store_n(&statement->stmt, NULL, __ATOMIC_RELEASE);
    statement->next = unused;
    unused = statement;
  }
  pthread_mutex_unlock(&lock);
}

// The thread that forked may not be the one that held the lock.
static void after_fork(void) { pthread_mutex_init(&lock, NULL); }

LIFECYCLE(.after_fork = after_fork)
