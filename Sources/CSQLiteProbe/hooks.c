// SPDX-License-Identifier: Apache-2.0

// The functions that stand before SQLite's own in the slots of the program's objects. Each copy of
// SQLite has its own set, so that a hook knows which copy to call.
//
// A hook calls SQLite exactly as the program did and returns what SQLite returned.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

#define INLINE static inline __attribute__((always_inline))

// MARK: - Connections

static void opened(struct copy *copy, sqlite3 *handle, bool is_hooked) {
  struct connection *known = this_thread.opened;
  this_thread.opened = NULL;
  // Another way in observed it meanwhile.
  if (known && known->handle == handle && !known->is_closed) return;
  open_connection(copy, handle, WAY_GOT, is_hooked);
}

INLINE int hook_open(struct copy *copy, const char *a, sqlite3 **b) {
  int code = copy->real.open(a, b);
  if (code == SQLITE_OK && b && *b) opened(copy, *b, true);
  return code;
}

INLINE int hook_open_v2(struct copy *copy, const char *a, sqlite3 **b, int c, const char *d) {
  int code = copy->real.open_v2(a, b, c, d);
  if (code == SQLITE_OK && b && *b) opened(copy, *b, true);
  return code;
}

INLINE int hook_open16(struct copy *copy, const void *a, sqlite3 **b) {
  int code = copy->real.open16(a, b);
  if (code == SQLITE_OK && b && *b) opened(copy, *b, true);
  return code;
}

// Called by the copy's own object.
INLINE int own_open(struct copy *copy, const char *a, sqlite3 **b) {
  int code = copy->real.open(a, b);
  if (code == SQLITE_OK && b && *b) opened(copy, *b, false);
  return code;
}

INLINE int own_open_v2(struct copy *copy, const char *a, sqlite3 **b, int c, const char *d) {
  int code = copy->real.open_v2(a, b, c, d);
  if (code == SQLITE_OK && b && *b) opened(copy, *b, false);
  return code;
}

INLINE int own_open16(struct copy *copy, const void *a, sqlite3 **b) {
  int code = copy->real.open16(a, b);
  if (code == SQLITE_OK && b && *b) opened(copy, *b, false);
  return code;
}

static int closing(sqlite3 *handle, int (*real)(sqlite3 *)) {
  struct connection *connection = find_connection(handle);
  if (!connection) return real(handle);
  uint64_t id = connection->id;
  int code = real(handle);
  // By now another thread may have opened a connection at the same address.
  if (code == SQLITE_OK && connection->id == id) close_connection(connection);
  return code;
}

INLINE int hook_close(struct copy *copy, sqlite3 *a) { return closing(a, copy->real.close); }
INLINE int hook_close_v2(struct copy *copy, sqlite3 *a) { return closing(a, copy->real.close_v2); }

// MARK: - Running statements

static int step_recorded(struct copy *copy, sqlite3_stmt *stmt) {
  struct statement *statement = observe_statement(copy, stmt);
  if (UNLIKELY(!statement)) return copy->real.step(stmt);
  bool is_first = !statement->is_running;
  if (!is_first && statement->untimed > 0) {
    statement->untimed--;
    statement->untimed_steps++;
    int code = copy->real.step(stmt);
    if (LIKELY(code == SQLITE_ROW)) statement->rows++;
    else end_run(statement, code, clock_now());
    return code;
  }
  if (is_first) begin_run(statement, false);
  if (UNLIKELY(!statement->text)) return copy->real.step(stmt);
  int64_t start = is_first ? statement->start : clock_now();
  struct thread *thread = &this_thread;
  struct connection *outer = thread->inside;
  thread->inside = statement->connection;
  int code = copy->real.step(stmt);
  thread->inside = outer;
  int64_t now = clock_now();
  step_timed(statement, now - start);
  if (code == SQLITE_ROW) statement->rows++;
  else end_run(statement, code, now);
  return code;
}

INLINE int hook_step(struct copy *copy, sqlite3_stmt *a) {
  if (LIKELY(!is_recording())) return copy->real.step(a);
  return step_recorded(copy, a);
}

// The statement if a run of it, which hooks see, is to be ended.
static struct statement *running(sqlite3_stmt *stmt) {
  struct statement *statement = stmt ? find_statement(stmt) : NULL;
  return statement && statement->is_running && !statement->is_traced_run ? statement : NULL;
}

static int reset_recorded(struct copy *copy, sqlite3_stmt *stmt) {
  struct statement *statement = running(stmt);
  if (!statement) return copy->real.reset(stmt);
  int64_t start = clock_now();
  int code = copy->real.reset(stmt);
  int64_t now = clock_now();
  statement->sqlite_ns += now - start;
  end_run(statement, code, now);
  return code;
}

INLINE int hook_reset(struct copy *copy, sqlite3_stmt *a) {
  if (LIKELY(!is_recording())) return copy->real.reset(a);
  return reset_recorded(copy, a);
}

static int finalize_recorded(struct copy *copy, sqlite3_stmt *stmt) {
  struct statement *statement = running(stmt);
  // Before: the counters end with the statement, and its address may be another's right after.
  if (statement) end_run(statement, SQLITE_OK, clock_now());
  if (stmt) forget_statement(stmt);
  return copy->real.finalize(stmt);
}

INLINE int hook_finalize(struct copy *copy, sqlite3_stmt *a) {
  if (LIKELY(!is_recording())) return copy->real.finalize(a);
  return finalize_recorded(copy, a);
}

// MARK: - Statements that SQLite runs by itself

static struct connection *begin_exec(struct copy *copy, sqlite3 *handle) {
  if (!handle || !is_recording()) return NULL;
  struct connection *connection = find_connection(handle);
  if (!connection) connection = open_connection(copy, handle, WAY_GOT, true);
  if (!connection || connection->is_excluded) return NULL;
  if (__atomic_fetch_add(&connection->exec_depth, 1, __ATOMIC_RELAXED) == 0 &&
      connection->is_hooked)
    set_trace(connection, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW);
  return connection;
}

static void end_exec(struct connection *connection, int code) {
  if (connection->has_pending) flush_pending(connection, code);
  if (__atomic_sub_fetch(&connection->exec_depth, 1, __ATOMIC_RELAXED) == 0 &&
      connection->is_hooked && !connection->is_closed)
    set_trace(connection, 0);
}

struct timed_callback {
  row_callback callback;
  void *context;
};

// The program's time with a row is not SQLite's.
static int call_timed(void *context, int count, char **values, char **names) {
  struct timed_callback *timed = context;
  int64_t start = clock_now();
  int result = timed->callback(timed->context, count, values, names);
  this_thread.callback_ns += clock_now() - start;
  return result;
}

INLINE int hook_exec(struct copy *copy, sqlite3 *a, const char *b, row_callback c, void *d,
                     char **e) {
  if (LIKELY(!is_recording())) return copy->real.exec(a, b, c, d, e);
  struct connection *connection = begin_exec(copy, a);
  if (!connection) return copy->real.exec(a, b, c, d, e);
  struct timed_callback timed = {c, d};
  int code = copy->real.exec(a, b, c ? call_timed : NULL, c ? &timed : d, e);
  end_exec(connection, code);
  return code;
}

INLINE int hook_get_table(struct copy *copy, sqlite3 *a, const char *b, char ***c, int *d, int *e,
                          char **f) {
  struct connection *connection = begin_exec(copy, a);
  int code = copy->real.get_table(a, b, c, d, e, f);
  if (connection) end_exec(connection, code);
  return code;
}

// MARK: - Preparing: only waits for locks are of interest

#define PREPARE(call)                                                  \
  if (LIKELY(!is_recording())) return call;                            \
  struct connection *connection = find_connection(a);                  \
  if (!connection || connection->is_excluded) return call;             \
  struct connection *outer = this_thread.inside;                       \
  this_thread.inside = connection;                                     \
  int code = call;                                                     \
  this_thread.inside = outer;                                          \
  if (UNLIKELY(code != SQLITE_OK)) report_waits(connection, code);     \
  return code;

INLINE int hook_prepare(struct copy *copy, sqlite3 *a, const char *b, int c, sqlite3_stmt **d,
                        const char **e) {
  PREPARE(copy->real.prepare(a, b, c, d, e))
}
INLINE int hook_prepare_v2(struct copy *copy, sqlite3 *a, const char *b, int c, sqlite3_stmt **d,
                           const char **e) {
  PREPARE(copy->real.prepare_v2(a, b, c, d, e))
}
INLINE int hook_prepare_v3(struct copy *copy, sqlite3 *a, const char *b, int c, unsigned d,
                           sqlite3_stmt **e, const char **f) {
  PREPARE(copy->real.prepare_v3(a, b, c, d, e, f))
}
INLINE int hook_prepare16(struct copy *copy, sqlite3 *a, const void *b, int c, sqlite3_stmt **d,
                          const void **e) {
  PREPARE(copy->real.prepare16(a, b, c, d, e))
}
INLINE int hook_prepare16_v2(struct copy *copy, sqlite3 *a, const void *b, int c, sqlite3_stmt **d,
                             const void **e) {
  PREPARE(copy->real.prepare16_v2(a, b, c, d, e))
}

// MARK: - The program's own callbacks

INLINE int hook_trace_v2(struct copy *copy, sqlite3 *a, unsigned b, trace_callback c, void *d) {
  struct connection *connection = find_connection(a);
  if (!connection || connection->is_excluded) return copy->real.trace_v2(a, b, c, d);
  connection->program_trace = b && c ? c : NULL;
  connection->program_mask = b;
  connection->program_trace_context = d;
  connection->program_plain_trace = NULL;
  connection->program_plain_context = d;
  connection->program_profile = NULL;
  if (!connection->is_traced) return copy->real.trace_v2(a, b, c, d);
  set_trace(connection, connection->mask);
  return SQLITE_OK;
}

INLINE void *hook_trace(struct copy *copy, sqlite3 *a, plain_trace_callback b, void *c) {
  struct connection *connection = find_connection(a);
  if (!connection || connection->is_excluded) return copy->real.trace(a, b, c);
  void *old = connection->program_plain_context;
  connection->program_trace = NULL;
  connection->program_plain_trace = b;
  connection->program_plain_context = c;
  connection->program_profile = NULL;
  if (!connection->is_traced) return copy->real.trace(a, b, c);
  set_trace(connection, connection->mask);
  return old;
}

INLINE void *hook_profile(struct copy *copy, sqlite3 *a, profile_callback b, void *c) {
  struct connection *connection = find_connection(a);
  if (!connection || connection->is_excluded) return copy->real.profile(a, b, c);
  void *old = connection->program_profile_context;
  connection->program_plain_trace = NULL;
  connection->program_profile = b;
  connection->program_profile_context = c;
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
  static const char *const modes[] = {"passive", "full", "restart", "truncate"};
  struct connection *connection = is_recording() ? find_connection(a) : NULL;
  if (!connection || connection->is_excluded) return copy->real.wal_checkpoint_v2(a, b, c, d, e);
  int log_frames = -1, checkpointed = -1;
  struct connection *outer = this_thread.inside;
  this_thread.inside = connection;
  int64_t start = clock_now();
  int code = copy->real.wal_checkpoint_v2(a, b, c, &log_frames, &checkpointed);
  int64_t total = clock_now() - start;
  this_thread.inside = outer;
  if (d) *d = log_frames;
  if (e) *e = checkpointed;
  if (code == SQLITE_OK && log_frames >= 0 && c >= 0 && c < 4)
    emit_checkpoint(connection->id, modes[c], (uint64_t)log_frames,
                    checkpointed > 0 ? (uint64_t)checkpointed : 0, total);
  else report_waits(connection, code);
  return code;
}

// As SQLite defines it.
INLINE int hook_wal_checkpoint(struct copy *copy, sqlite3 *a, const char *b) {
  if (LIKELY(!is_recording())) return copy->real.wal_checkpoint(a, b);
  return hook_wal_checkpoint_v2(copy, a, b, 0, NULL, NULL);
}

// MARK: - Bound values

static struct statement *binding(struct copy *copy, sqlite3_stmt *stmt) {
  return is_recording() ? observe_statement(copy, stmt) : NULL;
}

static bool keeps_values(void) { return UNLIKELY(record_values || log_level >= 2); }

enum { LONGEST_KEPT = 256, LONGEST_HASHED = 1024 };

// A text or a blob as a literal; a long one is cut, and its length is stated.
static void keep_text(struct statement *statement, int index, const char *text, size_t length) {
  char literal[LONGEST_KEPT * 6 + 64];
  char valid[LONGEST_KEPT * 3];
  size_t count = 0;
  size_t kept = length;
  if (length > LONGEST_KEPT)
    for (kept = LONGEST_KEPT; kept > 0 && (text[kept] & 0xc0) == 0x80; kept--) continue;
  size_t valid_count = copy_valid_utf8(valid, text, kept);
  literal[count++] = '\'';
  for (size_t i = 0; i < valid_count; i++) {
    if (valid[i] == 0) continue;
    if (valid[i] == '\'') literal[count++] = '\'';
    literal[count++] = valid[i];
  }
  if (kept < length)
    snprintf(literal + count, sizeof literal - count, "…' /* cut, %zu bytes */", length);
  else strcpy(literal + count, "'");
  value_kept(statement, index, literal);
}

static void keep_blob(struct statement *statement, int index, const unsigned char *blob,
                      size_t length) {
  char literal[LONGEST_KEPT * 2 + 64] = "x'";
  size_t count = 2;
  for (size_t i = 0; i < length && i < LONGEST_KEPT; i++)
    count += (size_t)sprintf(literal + count, "%02x", blob[i]);
  if (length > LONGEST_KEPT)
    snprintf(literal + count, sizeof literal - count, "' /* cut, %zu bytes */", length);
  else strcpy(literal + count, "'");
  value_kept(statement, index, literal);
}

// Of long values the beginning, the end and the length count.
static uint64_t hash_value(const void *bytes, size_t length, uint64_t type) {
  if (!bytes) return type;
  if (length <= LONGEST_HASHED) return hash_bytes(bytes, length, type);
  const char *end = (const char *)bytes + length - LONGEST_HASHED / 2;
  return hash_bytes(end, LONGEST_HASHED / 2, hash_bytes(bytes, LONGEST_HASHED / 2, type ^ length));
}

static void bound_integer(struct copy *copy, sqlite3_stmt *stmt, int index, int64_t value) {
  struct statement *statement = binding(copy, stmt);
  if (!statement) return;
  value_bound(statement, index, (uint64_t)value * 0x9e3779b97f4a7c15u + 1);
  if (!keeps_values()) return;
  char literal[32];
  snprintf(literal, sizeof literal, "%lld", (long long)value);
  value_kept(statement, index, literal);
}

static void bound_bytes(struct copy *copy, sqlite3_stmt *stmt, int index, const void *bytes,
                        size_t length, bool is_text) {
  struct statement *statement = binding(copy, stmt);
  if (!statement) return;
  value_bound(statement, index, hash_value(bytes, length, is_text ? 3 : 4));
  if (!keeps_values()) return;
  if (!bytes) value_kept(statement, index, "NULL");
  else if (is_text) keep_text(statement, index, bytes, length);
  else keep_blob(statement, index, bytes, length);
}

static size_t utf16_length(const void *text) {
  const uint16_t *at = text;
  while (*at) at++;
  return (size_t)((const char *)at - (const char *)text);
}

INLINE int hook_bind_null(struct copy *copy, sqlite3_stmt *a, int b) {
  struct statement *statement = binding(copy, a);
  if (statement) {
    value_bound(statement, b, 2);
    if (keeps_values()) value_kept(statement, b, "NULL");
  }
  return copy->real.bind_null(a, b);
}

INLINE int hook_bind_int(struct copy *copy, sqlite3_stmt *a, int b, int c) {
  bound_integer(copy, a, b, c);
  return copy->real.bind_int(a, b, c);
}

INLINE int hook_bind_int64(struct copy *copy, sqlite3_stmt *a, int b, int64_t c) {
  bound_integer(copy, a, b, c);
  return copy->real.bind_int64(a, b, c);
}

INLINE int hook_bind_double(struct copy *copy, sqlite3_stmt *a, int b, double c) {
  struct statement *statement = binding(copy, a);
  if (statement) {
    value_bound(statement, b, hash_bytes(&c, sizeof c, 5));
    if (keeps_values()) {
      char literal[40];
      snprintf(literal, sizeof literal, "%.17g", c);
      if (!strpbrk(literal, ".eni")) strcat(literal, ".0");
      value_kept(statement, b, strpbrk(literal, "n") ? (c != c ? "NULL" : c > 0 ? "9e999" : "-9e999")
                                                     : literal);
    }
  }
  return copy->real.bind_double(a, b, c);
}

// Values are read before SQLite has them: it may free them when it fails.
INLINE int hook_bind_text(struct copy *copy, sqlite3_stmt *a, int b, const char *c, int d,
                          void (*e)(void *)) {
  if (UNLIKELY(is_recording()))
    bound_bytes(copy, a, b, c, !c ? 0 : d < 0 ? strlen(c) : (size_t)d, true);
  return copy->real.bind_text(a, b, c, d, e);
}

INLINE int hook_bind_text64(struct copy *copy, sqlite3_stmt *a, int b, const char *c, uint64_t d,
                            void (*e)(void *), unsigned char f) {
  if (UNLIKELY(is_recording())) bound_bytes(copy, a, b, c, (size_t)d, f == 1);
  return copy->real.bind_text64(a, b, c, d, e, f);
}

INLINE int hook_bind_text16(struct copy *copy, sqlite3_stmt *a, int b, const void *c, int d,
                            void (*e)(void *)) {
  if (UNLIKELY(is_recording()))
    bound_bytes(copy, a, b, c, !c ? 0 : d < 0 ? utf16_length(c) : (size_t)d, false);
  return copy->real.bind_text16(a, b, c, d, e);
}

INLINE int hook_bind_blob(struct copy *copy, sqlite3_stmt *a, int b, const void *c, int d,
                          void (*e)(void *)) {
  if (UNLIKELY(is_recording())) bound_bytes(copy, a, b, c, d > 0 ? (size_t)d : 0, false);
  return copy->real.bind_blob(a, b, c, d, e);
}

INLINE int hook_bind_blob64(struct copy *copy, sqlite3_stmt *a, int b, const void *c, uint64_t d,
                            void (*e)(void *)) {
  if (UNLIKELY(is_recording())) bound_bytes(copy, a, b, c, (size_t)d, false);
  return copy->real.bind_blob64(a, b, c, d, e);
}

// Its content is known to SQLite alone: the hash is then made of the expanded text.
INLINE int hook_bind_value(struct copy *copy, sqlite3_stmt *a, int b, const void *c) {
  struct statement *statement = binding(copy, a);
  if (statement) statement->has_unknown_values = true;
  return copy->real.bind_value(a, b, c);
}

INLINE int hook_bind_zeroblob(struct copy *copy, sqlite3_stmt *a, int b, int c) {
  struct statement *statement = binding(copy, a);
  if (statement) value_bound(statement, b, (uint64_t)c * 7 + 6);
  return copy->real.bind_zeroblob(a, b, c);
}

INLINE int hook_bind_zeroblob64(struct copy *copy, sqlite3_stmt *a, int b, uint64_t c) {
  struct statement *statement = binding(copy, a);
  if (statement) value_bound(statement, b, c * 7 + 6);
  return copy->real.bind_zeroblob64(a, b, c);
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

#define NAME(type, name, parameters, arguments) "sqlite3_" #name,
const char *const hooked_names[HOOKED_COUNT] = {HOOKED_FUNCTIONS(NAME)};
