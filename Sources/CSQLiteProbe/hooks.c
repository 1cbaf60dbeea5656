// SPDX-License-Identifier: Apache-2.0

// The functions that replace SQLite's own in the slots of the program's objects. Each copy of
// SQLite has its own set, so that a hook calls the right copy.
//
// A hook calls SQLite exactly as the program did and returns what SQLite returned. The exception is finalize_recorded().

#include "hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings.h"
#include "checkpoints.h"
#include "failures.h"
#include "io.h"
#include "lifecycle.h"
#include "observing.h"
#include "opening.h"
#include "process.h"
#include "python-tests.h"
#include "recording.h"
#include "steps.h"
#include "values.h"

#define INLINE static inline __attribute__((always_inline))

// MARK: - Connections

static void opened(struct copy *copy, sqlite3 *handle, const char *name, bool is_hooked) {
  struct connection *known = this_thread.opened;
  this_thread.opened = NULL;
  // Another way in observed it meanwhile.
  if (known && known->handle == handle && !known->is_closed) return;
  this_thread.opening = name;
  open_connection(copy, handle, WAY_GOT, is_hooked);
  this_thread.opening = NULL;
  name_python_tests();
}

INLINE int hook_open(struct copy *copy, const char *a, sqlite3 **b) {
  io_will_open(copy);
  int code = copy->real.open(a, b);
  if (code == SQLITE_OK && b && *b) opened(copy, *b, a, true);
  return code;
}

INLINE int hook_open_v2(struct copy *copy, const char *a, sqlite3 **b, int c, const char *d) {
  io_will_open(copy);
  int code = copy->real.open_v2(a, b, c, d);
  if (code == SQLITE_OK && b && *b) opened(copy, *b, a, true);
  return code;
}

INLINE int hook_open16(struct copy *copy, const void *a, sqlite3 **b) {
  io_will_open(copy);
  int code = copy->real.open16(a, b);
  if (code == SQLITE_OK && b && *b) opened(copy, *b, NULL, true);
  return code;
}

// Called by the copy's own object.
INLINE int own_open(struct copy *copy, const char *a, sqlite3 **b) {
  int code = copy->real.open(a, b);
  if (code == SQLITE_OK && b && *b) opened(copy, *b, a, false);
  return code;
}

INLINE int own_open_v2(struct copy *copy, const char *a, sqlite3 **b, int c, const char *d) {
  int code = copy->real.open_v2(a, b, c, d);
  if (code == SQLITE_OK && b && *b) opened(copy, *b, a, false);
  return code;
}

INLINE int own_open16(struct copy *copy, const void *a, sqlite3 **b) {
  int code = copy->real.open16(a, b);
  if (code == SQLITE_OK && b && *b) opened(copy, *b, NULL, false);
  return code;
}

static int closing(sqlite3 *handle, int (*real)(sqlite3 *), bool may_linger) {
  struct connection *connection = find_connection(handle);
  if (!connection) return real(handle);
  uint64_t id = connection->id;
  bool lingers = may_linger && connection->copy->api.next_stmt(handle, NULL) != NULL;
  int code = real(handle);
  // Another thread may already have opened a connection at the same address.
  if (code != SQLITE_OK || connection->id != id) return code;
  if (lingers) linger(connection);
  else close_connection(connection);
  return code;
}

INLINE int hook_close(struct copy *copy, sqlite3 *a) { return closing(a, copy->real.close, false); }
INLINE int hook_close_v2(struct copy *copy, sqlite3 *a) {
  return closing(a, copy->real.close_v2, true);
}

// MARK: - Running statements

INLINE int hook_step(struct copy *copy, sqlite3_stmt *a) {
  if (LIKELY(!is_recording())) return copy->real.step(a);
  // Only this is done for most rows of a long fetch.
  struct statement *fetching = this_thread.fetching;
  if (UNLIKELY(!fetching || fetching->stmt != a || fetching->untimed == 0))
    return step_recorded(copy, a);
  fetching->untimed--;
  int code = copy->real.step(a);
  if (UNLIKELY(code != SQLITE_ROW)) return end_fetch(fetching, code);
  fetching->rows++;
  return code;
}

INLINE int hook_reset(struct copy *copy, sqlite3_stmt *a) {
  if (LIKELY(!is_recording())) return copy->real.reset(a);
  return reset_recorded(copy, a);
}

INLINE int hook_finalize(struct copy *copy, sqlite3_stmt *a) {
  if (LIKELY(!is_recording())) return copy->real.finalize(a);
  return finalize_recorded(copy, a);
}

// MARK: - Statements that SQLite runs by itself

INLINE int hook_exec(struct copy *copy, sqlite3 *a, const char *b, row_callback c, void *d,
                     char **e) {
  if (LIKELY(!is_recording())) return copy->real.exec(a, b, c, d, e);
  struct exec exec;
  if (!begin_exec(&exec, copy, a)) return copy->real.exec(a, b, c, d, e);
  struct timed_callback timed = {c, d};
  int code = copy->real.exec(a, b, c ? call_timed : NULL, c ? &timed : d, e);
  end_exec(&exec, b, code);
  return code;
}

INLINE int hook_get_table(struct copy *copy, sqlite3 *a, const char *b, char ***c, int *d, int *e,
                          char **f) {
  struct exec exec;
  bool is_seen = begin_exec(&exec, copy, a);
  int code = copy->real.get_table(a, b, c, d, e, f);
  if (is_seen) end_exec(&exec, b, code);
  return code;
}

// MARK: - Preparing: waits for locks, failures, and the time

// Whether another statement follows, as in a script: the values then belong to its text.
static bool is_followed(const char *tail) {
  while (tail && (*tail == ' ' || *tail == ';' || (*tail >= '\t' && *tail <= '\r'))) tail++;
  return tail && *tail;
}

#define PREPARE(call, sql, length, statement, tail)                      \
  if (LIKELY(!is_recording())) return call;                              \
  struct connection *connection = known_connection(copy, a);             \
  if (!connection || connection->is_excluded) return call;               \
  struct connection *outer = this_thread.inside;                         \
  this_thread.inside = connection;                                       \
  int64_t start = clock_now(), waited = this_thread.busy_ns;             \
  int code = call;                                                       \
  int64_t time = clock_now() - start - (this_thread.busy_ns - waited);   \
  this_thread.inside = outer;                                            \
  if (UNLIKELY(code != SQLITE_OK)) failed_to_prepare(connection, sql, length, code); \
  else if (*(statement) && !is_followed(tail)) statement_prepared(*(statement), time); \
  return code;

INLINE int hook_prepare(struct copy *copy, sqlite3 *a, const char *b, int c, sqlite3_stmt **d,
                        const char **e) {
  PREPARE(copy->real.prepare(a, b, c, d, e), b, c, d, e ? *e : NULL)
}
INLINE int hook_prepare_v2(struct copy *copy, sqlite3 *a, const char *b, int c, sqlite3_stmt **d,
                           const char **e) {
  PREPARE(copy->real.prepare_v2(a, b, c, d, e), b, c, d, e ? *e : NULL)
}
INLINE int hook_prepare_v3(struct copy *copy, sqlite3 *a, const char *b, int c, unsigned d,
                           sqlite3_stmt **e, const char **f) {
  PREPARE(copy->real.prepare_v3(a, b, c, d, e, f), b, c, e, f ? *f : NULL)
}
INLINE int hook_prepare16(struct copy *copy, sqlite3 *a, const void *b, int c, sqlite3_stmt **d,
                          const void **e) {
  PREPARE(copy->real.prepare16(a, b, c, d, e), NULL, 0, d, NULL)
}
INLINE int hook_prepare16_v2(struct copy *copy, sqlite3 *a, const void *b, int c, sqlite3_stmt **d,
                             const void **e) {
  PREPARE(copy->real.prepare16_v2(a, b, c, d, e), NULL, 0, d, NULL)
}

// MARK: - The program's own callbacks

// NULL for a connection with callbacks that are looked up at its next statement.
static struct connection *observed_connection(sqlite3 *handle) {
  struct connection *connection = find_connection(handle);
  bool is_known = connection && (connection->recording == current_recording || connection->is_traced);
  return is_known && !connection->is_excluded ? connection : NULL;
}

INLINE int hook_trace_v2(struct copy *copy, sqlite3 *a, unsigned b, trace_callback c, void *d) {
  struct connection *connection = observed_connection(a);
  if (!connection) return copy->real.trace_v2(a, b, c, d);
  connection->program_trace = b && c ? c : NULL;
  connection->program_mask = b;
  connection->program_trace_context = d;
  connection->program_plain_trace = NULL;
  connection->program_plain_context = d;
  connection->is_profiled = false;
  if (!connection->is_traced) return copy->real.trace_v2(a, b, c, d);
  set_trace(connection, connection->mask);
  return SQLITE_OK;
}

INLINE void *hook_trace(struct copy *copy, sqlite3 *a, plain_trace_callback b, void *c) {
  struct connection *connection = observed_connection(a);
  if (!connection) return copy->real.trace(a, b, c);
  void *old = connection->program_plain_context;
  connection->program_trace = NULL;
  connection->program_plain_trace = b;
  connection->program_plain_context = c;
  connection->is_profiled = false;
  if (!connection->is_traced) return copy->real.trace(a, b, c);
  set_trace(connection, connection->mask);
  return old;
}

INLINE void *hook_profile(struct copy *copy, sqlite3 *a, profile_callback b, void *c) {
  struct connection *connection = observed_connection(a);
  if (!connection) return copy->real.profile(a, b, c);
  void *old = connection->program_profile_context;
  connection->program_plain_trace = NULL;
  connection->program_profile = b;
  connection->program_profile_context = c;
  connection->is_profiled = b != NULL;
  if (!connection->is_traced) return copy->real.profile(a, b, c);
  set_trace(connection, connection->mask);
  return old;
}

// The program's own handler may wait: its time is the connection's waiting time.
static int busy_called(void *context, int attempts) {
  struct connection *connection = context;
  if (!is_recording()) return connection->program_busy(connection->program_busy_context, attempts);
  int64_t start = clock_now();
  int result = connection->program_busy(connection->program_busy_context, attempts);
  this_thread.busy_attempts++;
  this_thread.busy_ns += clock_now() - start;
  return result;
}

INLINE int hook_busy_handler(struct copy *copy, sqlite3 *a, busy_callback b, void *c) {
  struct connection *connection = find_connection(a);
  if (!connection || connection->is_excluded || !b) return copy->real.busy_handler(a, b, c);
  connection->program_busy = b;
  connection->program_busy_context = c;
  return copy->real.busy_handler(a, busy_called, connection);
}

INLINE int hook_busy_timeout(struct copy *copy, sqlite3 *a, int b) {
  return copy->real.busy_timeout(a, b);
}

// MARK: - Checkpoints

INLINE int hook_wal_checkpoint_v2(struct copy *copy, sqlite3 *a, const char *b, int c, int *d,
                                  int *e) {
  if (LIKELY(!is_recording())) return copy->real.wal_checkpoint_v2(a, b, c, d, e);
  return checkpoint_recorded(copy, a, b, c, d, e);
}

// With SQLite's signature. An automatic checkpoint calls it within the step that commits.
INLINE int hook_wal_checkpoint(struct copy *copy, sqlite3 *a, const char *b) {
  if (LIKELY(!is_recording())) return copy->real.wal_checkpoint(a, b);
  return checkpoint_recorded(copy, a, b, 0, NULL, NULL);
}

// MARK: - Bound values

// A value is recorded once SQLite has accepted it.
#define BIND(call, bound)                   \
  if (LIKELY(!is_recording())) return call; \
  int code = call;                          \
  if (LIKELY(code == SQLITE_OK)) bound;     \
  return code;

#define BIND_BYTES(call, bytes, length, is_terminated, type, destructor)      \
  if (LIKELY(!is_recording())) return call;                                   \
  struct bound_bytes value = {a, b, bytes, length, is_terminated, type, false, 0, NULL}; \
  bytes_will_be_bound(copy, &value, destructor);                              \
  int code = call;                                                            \
  bytes_were_bound(copy, &value, code);                                       \
  return code;

INLINE int hook_bind_null(struct copy *copy, sqlite3_stmt *a, int b) {
  BIND(copy->real.bind_null(a, b), bound_null(copy, a, b))
}

INLINE int hook_bind_int(struct copy *copy, sqlite3_stmt *a, int b, int c) {
  BIND(copy->real.bind_int(a, b, c), bound_integer(copy, a, b, c))
}

INLINE int hook_bind_int64(struct copy *copy, sqlite3_stmt *a, int b, int64_t c) {
  BIND(copy->real.bind_int64(a, b, c), bound_integer(copy, a, b, c))
}

INLINE int hook_bind_double(struct copy *copy, sqlite3_stmt *a, int b, double c) {
  BIND(copy->real.bind_double(a, b, c), bound_double(copy, a, b, c))
}

INLINE int hook_bind_text(struct copy *copy, sqlite3_stmt *a, int b, const char *c, int d,
                          void (*e)(void *)) {
  BIND_BYTES(copy->real.bind_text(a, b, c, d, e), c, (uint64_t)d, d < 0, BOUND_TEXT, e)
}

INLINE int hook_bind_text64(struct copy *copy, sqlite3_stmt *a, int b, const char *c, uint64_t d,
                            void (*e)(void *), unsigned char f) {
  BIND_BYTES(copy->real.bind_text64(a, b, c, d, e, f), c, d, false, f == 1 ? BOUND_TEXT : BOUND_TEXT16, e)
}

INLINE int hook_bind_text16(struct copy *copy, sqlite3_stmt *a, int b, const void *c, int d,
                            void (*e)(void *)) {
  BIND_BYTES(copy->real.bind_text16(a, b, c, d, e), c, (uint64_t)d, d < 0, BOUND_TEXT16, e)
}

INLINE int hook_bind_blob(struct copy *copy, sqlite3_stmt *a, int b, const void *c, int d,
                          void (*e)(void *)) {
  BIND_BYTES(copy->real.bind_blob(a, b, c, d, e), c, d > 0 ? (uint64_t)d : 0, false, BOUND_BLOB, e)
}

INLINE int hook_bind_blob64(struct copy *copy, sqlite3_stmt *a, int b, const void *c, uint64_t d,
                            void (*e)(void *)) {
  BIND_BYTES(copy->real.bind_blob64(a, b, c, d, e), c, d, false, BOUND_BLOB, e)
}

// Its content is known to SQLite alone: the hash is then made of the expanded text.
INLINE int hook_bind_value(struct copy *copy, sqlite3_stmt *a, int b, const void *c) {
  int code = copy->real.bind_value(a, b, c);
  struct statement *statement = code == SQLITE_OK && is_recording() ? observe_statement(copy, a) : NULL;
  if (statement) statement->has_unknown_values = true;
  return code;
}

INLINE int hook_bind_zeroblob(struct copy *copy, sqlite3_stmt *a, int b, int c) {
  BIND(copy->real.bind_zeroblob(a, b, c), bound_zeroes(copy, a, b, c > 0 ? (uint64_t)c : 0))
}

INLINE int hook_bind_zeroblob64(struct copy *copy, sqlite3_stmt *a, int b, uint64_t c) {
  BIND(copy->real.bind_zeroblob64(a, b, c), bound_zeroes(copy, a, b, c))
}

INLINE int hook_clear_bindings(struct copy *copy, sqlite3_stmt *a) {
  struct statement *statement = a && is_recording() ? find_statement(a) : NULL;
  if (statement) values_cleared(statement);
  return copy->real.clear_bindings(a);
}

// MARK: - One set for each copy

#define UNPACK(...) , __VA_ARGS__
#define SET(type, name, parameters, arguments, n) \
  static type name##_##n parameters { return hook_##name(&copies[n] UNPACK arguments); }
#define SET_0(type, name, parameters, arguments) SET(type, name, parameters, arguments, 0)
#define SET_1(type, name, parameters, arguments) SET(type, name, parameters, arguments, 1)
#define SET_2(type, name, parameters, arguments) SET(type, name, parameters, arguments, 2)
#define SET_3(type, name, parameters, arguments) SET(type, name, parameters, arguments, 3)
#define SET_4(type, name, parameters, arguments) SET(type, name, parameters, arguments, 4)
#define SET_5(type, name, parameters, arguments) SET(type, name, parameters, arguments, 5)
#define SET_6(type, name, parameters, arguments) SET(type, name, parameters, arguments, 6)
#define SET_7(type, name, parameters, arguments) SET(type, name, parameters, arguments, 7)
HOOKED_FUNCTIONS(SET_0) HOOKED_FUNCTIONS(SET_1) HOOKED_FUNCTIONS(SET_2) HOOKED_FUNCTIONS(SET_3)
HOOKED_FUNCTIONS(SET_4) HOOKED_FUNCTIONS(SET_5) HOOKED_FUNCTIONS(SET_6) HOOKED_FUNCTIONS(SET_7)

#define ENTRY_0(type, name, parameters, arguments) (void *)name##_0,
#define ENTRY_1(type, name, parameters, arguments) (void *)name##_1,
#define ENTRY_2(type, name, parameters, arguments) (void *)name##_2,
#define ENTRY_3(type, name, parameters, arguments) (void *)name##_3,
#define ENTRY_4(type, name, parameters, arguments) (void *)name##_4,
#define ENTRY_5(type, name, parameters, arguments) (void *)name##_5,
#define ENTRY_6(type, name, parameters, arguments) (void *)name##_6,
#define ENTRY_7(type, name, parameters, arguments) (void *)name##_7,
void *const hooked_functions[MAX_COPIES][HOOKED_COUNT] = {
    {HOOKED_FUNCTIONS(ENTRY_0)}, {HOOKED_FUNCTIONS(ENTRY_1)}, {HOOKED_FUNCTIONS(ENTRY_2)},
    {HOOKED_FUNCTIONS(ENTRY_3)}, {HOOKED_FUNCTIONS(ENTRY_4)}, {HOOKED_FUNCTIONS(ENTRY_5)},
    {HOOKED_FUNCTIONS(ENTRY_6)}, {HOOKED_FUNCTIONS(ENTRY_7)}};

#define OWN(n)                                                                               \
  static int own_open_##n(const char *a, sqlite3 **b) { return own_open(&copies[n], a, b); } \
  static int own_open_v2_##n(const char *a, sqlite3 **b, int c, const char *d) {             \
    return own_open_v2(&copies[n], a, b, c, d);                                              \
  }                                                                                          \
  static int own_open16_##n(const void *a, sqlite3 **b) { return own_open16(&copies[n], a, b); }
OWN(0) OWN(1) OWN(2) OWN(3) OWN(4) OWN(5) OWN(6) OWN(7)

#define OWN_ENTRY(n) {(void *)own_open_##n, (void *)own_open_v2_##n, (void *)own_open16_##n}
void *const own_open_functions[MAX_COPIES][3] = {OWN_ENTRY(0), OWN_ENTRY(1), OWN_ENTRY(2),
                                                 OWN_ENTRY(3), OWN_ENTRY(4), OWN_ENTRY(5),
                                                 OWN_ENTRY(6), OWN_ENTRY(7)};

