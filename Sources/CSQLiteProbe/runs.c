// SPDX-License-Identifier: Apache-2.0

// A run of a statement: from its first step until it is done, fails, or is reset.

#include "runs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "callers.h"
#include "expanded.h"
#include "failures.h"
#include "file-events.h"
#include "hash.h"
#include "io.h"
#include "log-text.h"
#include "origins.h"
#include "process.h"
#include "recording.h"
#include "transactions.h"
#include "values.h"
#include "writes.h"

// SQLite's numbers of the counters.
enum { FULLSCAN = 1, SORT, AUTOINDEX, VM_STEP, REPREPARE, RUN, FILTER_MISS, FILTER_HIT, MEMORY = 99 };
enum { REPREPARE_SINCE = 3020000, FILTER_SINCE = 3038000, RAISE_EXPRESSION_SINCE = 3047000 };

static int last_counter(const struct copy *copy) {
  return copy->version >= FILTER_SINCE ? FILTER_HIT
         : copy->version >= REPREPARE_SINCE ? RUN : VM_STEP;
}

static void read_counters(const struct statement *statement, uint32_t counters[9]) {
  const struct copy *copy = statement->connection->copy;
  for (int i = FULLSCAN; i <= last_counter(copy); i++)
    counters[i] = (uint32_t)copy->api.stmt_status(statement->stmt, i, 0);
}

// The difference to the last value, or the value itself if the program set it back to 0.
static uint64_t difference(uint32_t now, uint32_t last) { return now >= last ? now - last : now; }

// Finds the text of a statement again: another one may have got its address.
static void check_text(struct statement *statement) {
  const struct copy *copy = statement->connection->copy;
  const char *sql = copy->api.sql(statement->stmt);
  if (!sql) sql = "";
  uint64_t hash = hash_bytes(sql, strlen(sql), 1);
  if (LIKELY(statement->text && statement->raw_hash == hash)) {
    bool is_same = copy->version < REPREPARE_SINCE ||
                   (uint32_t)copy->api.stmt_status(statement->stmt, RUN, 0) ==
                       statement->counters[RUN];
    if (LIKELY(is_same)) return;
  } else {
    release_text(statement->text);
    statement->text = text_of_sql(sql);
    statement->raw_hash = hash;
    statement->memory_runs = 0;
  }
  read_counters(statement, statement->counters);
}

// Within a callback of SQLite the interpreter's lock could be held by a thread that waits for this
// connection. apsw always releases it before it calls SQLite.
static bool may_lock_in_callback(const struct statement *statement) {
  return strstr(statement->connection->copy->path, "/apsw/") != NULL;
}

static void look_up_caller(struct statement *statement, bool may_lock) {
  statement->caller_id = 0;
  if (caller_mode == CALLERS_NONE) return;
  const char *sql = statement->connection->copy->api.sql(statement->stmt);
  statement->caller_id = caller_of_run(statement, sql ? sql : "", may_lock);
}

static void announce(struct statement *statement) {
  struct connection *connection = statement->connection;
  if (UNLIKELY(connection->announced_generation != generation)) announce_connection(connection, 0);
  announce_text(connection->id, statement->text);
}

// The first statement in a child of fork(), which raised the generation.
static void look_at_fork(struct connection *connection, bool may_lock) {
  if (is_newly_inherited(connection) && connection->has_file)
    connection_was_inherited(connection->id, connection->copy->api.db_filename(connection->handle, "main"), may_lock);
}

void begin_run(struct statement *statement, bool is_traced) {
  struct connection *connection = statement->connection;
  check_text(statement);
  if (UNLIKELY(!statement->text)) return;
  bool is_new = connection->announced_generation != generation;
  announce(statement);
  if (UNLIKELY(is_new)) look_at_fork(connection, !is_traced || may_lock_in_callback(statement));
  look_up_caller(statement, !is_traced || may_lock_in_callback(statement));
  statement->is_running = true;
  statement->recording = current_recording;
  statement->is_traced_run = is_traced;
  statement->rows = 0;
  statement->result_hash = 0;
  statement->list_id = 0;
  if (UNLIKELY(has_lists())) find_origin(statement);
  statement->sqlite_ns = 0;
  statement->untimed = 0;
  statement->skipped = 0;
  statement->timed_steps = 0;
  statement->last_step = 0;
  statement->shortest_gap = INT64_MAX;
  statement->total_changes = connection->copy->api.total_changes(connection->handle);
  if (statement->text->write != WRITES_NOTHING) writes_will_begin(statement);
  statement->start = clock_now();
  statement->last_row = statement->start;
}

enum {
  // A fast row may be followed by a long scan: the first steps are all timed, then one of many.
  FIRST_STEPS = 32, STEPS_BETWEEN = 64,
  // If a step takes longer than this, in ns, the cost of the clock is negligible, and the next step
  // is timed as well.
  LONG_STEP = 1000000,
};

// Steps that were not timed count as the mean of the two around them, and never as more than the time
// that has passed: one of them may have been interrupted.
static int64_t time_of_skipped(const struct statement *statement, int64_t mean, int64_t until) {
  int64_t passed = until - statement->last_row;
  int64_t steps = statement->skipped - statement->untimed;
  return steps == 0 ? 0 : mean < passed / steps ? steps * mean : passed;
}

void take_step_time(struct statement *statement, int64_t start, int64_t end) {
  int64_t duration = end - start;
  statement->sqlite_ns +=
      duration + time_of_skipped(statement, (duration + statement->last_step) / 2, start);
  statement->timed_steps++;
  statement->last_step = duration;
  statement->last_row = end;
  bool is_next_timed = statement->rows < FIRST_STEPS || duration >= LONG_STEP || values_are_whole;
  statement->skipped = is_next_timed ? 0 : STEPS_BETWEEN - 1;
  statement->untimed = statement->skipped;
}

static const char *code_name(int code) {
  static const char *const names[] = {
      "OK", "ERROR", "INTERNAL", "PERM", "ABORT", "BUSY", "LOCKED", "NOMEM", "READONLY",
      "INTERRUPT", "IOERR", "CORRUPT", "NOTFOUND", "FULL", "CANTOPEN", "PROTOCOL", "EMPTY",
      "SCHEMA", "TOOBIG", "CONSTRAINT", "MISMATCH", "MISUSE", "NOLFS", "AUTH", "FORMAT", "RANGE",
      "NOTADB", "NOTICE", "WARNING"};
  code &= 0xff;
  return code < (int)(sizeof names / sizeof *names) ? names[code] : "ERROR";
}

static _Thread_local char error_text[512];

static bool is_error(int code) {
  return code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE;
}

static const char *describe(int code, const char *message) {
  char text[300];
  size_t length = message ? strnlen(message, sizeof text / 3) : 0;
  length = copy_valid_utf8(text, message ? message : "", length);
  snprintf(error_text, sizeof error_text, "SQLITE_%s: %.*s", code_name(code), (int)length, text);
  return error_text;
}

const char *describe_error(struct connection *connection, int code) {
  return is_error(code) ? describe(code, connection->copy->api.errmsg(connection->handle)) : "";
}

// Whether a message may contain a value: one that is bound, as by `MATCH ?`, or one of a row. The text of a constraint
// is the schema's; since 3.47 RAISE() may add values to it. A name behind a colon that is in the SQL is no secret.
static bool may_have_value(const struct connection *connection, const struct ended_run *run, int code,
                           const char *message, bool has_parameters) {
  if (strcmp(message, connection->copy->api.errstr(code)) == 0) return false;
  if ((code & 0xff) == SQLITE_CONSTRAINT)
    return connection->copy->version >= RAISE_EXPRESSION_SINCE && !strstr(message, " constraint failed");
  const char *name = strstr(message, ": ");
  if (name) return !strstr(run->text->sql, name + 2);
  return has_parameters || strpbrk(message, "'\"");
}

// For a run, and not for a statement that could not be prepared: its error contains no values.
static const char *describe_run_error(struct connection *connection, const struct ended_run *run, int code,
                                      bool has_parameters) {
  const struct sqlite_api *api = &connection->copy->api;
  const char *message = api->errmsg(connection->handle);
  bool is_kept = keeps_values() || !message || !may_have_value(connection, run, code, message, has_parameters);
  return describe(code, is_kept ? message : api->errstr(code));
}

void report_waits(struct connection *connection, int code) {
  struct thread *thread = &this_thread;
  bool gave_up = (code & 0xff) == SQLITE_BUSY;
  if (LIKELY(thread->busy_attempts == 0 && !gave_up)) return;
  EMIT(busy, .store_id = connection->id, .attempts = thread->busy_attempts,
         .wait_ns = thread->busy_ns, .gave_up = gave_up);
  thread->busy_attempts = 0;
  thread->busy_ns = 0;
}

// While a statement that only reads is open, others may write.
static void fill_changes(const struct statement *statement, struct ended_run *run) {
  if (run->event.readonly) return;
  const struct sqlite_api *api = &statement->connection->copy->api;
  sqlite3 *handle = statement->connection->handle;
  run->has_changed_rows = api->total_changes(handle) != statement->total_changes;
  if (!run->has_changed_rows) return;
  run->event.changes = (uint64_t)(api->changes64 ? api->changes64(handle) : api->changes(handle));
}

// The memory of a statement rarely changes and is expensive to count: at runs 1, 65, 129, …
static uint64_t memory_of(struct statement *statement) {
  if ((statement->memory_runs++ & 63) == 0)
    statement->memory =
        (uint64_t)(uint32_t)statement->connection->copy->api.stmt_status(statement->stmt, MEMORY, 0);
  return statement->memory;
}

// Values that only SQLite has are read from the SQL that it expands.
static uint64_t bind_hash_of(struct statement *statement) {
  if (LIKELY(statement->bound_count > 0 && !statement->has_unknown_values))
    return statement->bind_hash ? statement->bind_hash : 1;
  const struct sqlite_api *api = &statement->connection->copy->api;
  if (!statement->is_traced_run && !statement->has_unknown_values) return 0;
  if (api->bind_parameter_count(statement->stmt) == 0) return 0;
  char *expanded = api->expanded_sql(statement->stmt);
  if (!expanded) return 0;
  uint64_t hash = keyed_hash(expanded);
  if (keeps_values()) keep_expanded(statement, api->sql(statement->stmt), expanded);
  api->free(expanded);
  return hash ? hash : 1;
}

static int64_t step_time(const struct statement *statement, int64_t now) {
  int64_t open = now - statement->start;
  int64_t time = statement->sqlite_ns + time_of_skipped(statement, statement->last_step, now);
  return time < open ? time : open;
}

// A scan in a step that was not timed shows in the VM steps. 4 ns for each is a low estimate: 8 to 10
// were measured for a scan in memory.
static int64_t at_least_vm_time(const struct statement_run_event *event) {
  int64_t least = event->vm_steps < INT64_MAX / 4 ? (int64_t)event->vm_steps * 4 : INT64_MAX;
  if (least > event->open_ns) least = event->open_ns;
  return event->step_ns > least ? event->step_ns : least;
}

static void fill(struct statement *statement, struct ended_run *run, int64_t now) {
  struct statement_run_event *event = &run->event;
  uint32_t counters[9] = {0};
  const uint32_t *last = statement->counters;
  read_counters(statement, counters);
  event->connection_id = statement->connection->id;
  event->statement_id = statement->text->statement_id;
  event->caller_id = statement->caller_id;
  event->bind_hash = bind_hash_of(statement);
  event->open_ns = now - statement->start;
  event->step_ns = step_time(statement, now);
  event->timed_steps = statement->timed_steps;
  event->rows = statement->rows;
  event->readonly = statement->connection->copy->api.stmt_readonly(statement->stmt) != 0;
  fill_changes(statement, run);
  if (statement->text->write != WRITES_NOTHING) run->effect = effect_of(statement);
  event->vm_steps = difference(counters[VM_STEP], last[VM_STEP]);
  event->fullscan_steps = difference(counters[FULLSCAN], last[FULLSCAN]);
  event->sorts = difference(counters[SORT], last[SORT]);
  event->autoindex_rows = difference(counters[AUTOINDEX], last[AUTOINDEX]);
  event->reprepares = difference(counters[REPREPARE], last[REPREPARE]);
  event->filter_hits = difference(counters[FILTER_HIT], last[FILTER_HIT]);
  event->filter_misses = difference(counters[FILTER_MISS], last[FILTER_MISS]);
  event->step_ns = at_least_vm_time(event);
  event->memory = memory_of(statement);
  event->prepare_ns = statement->prepare_ns;
  statement->prepare_ns = 0;
  event->list_id = statement->list_id;
  event->result_hash = statement->result_hash;
  if (UNLIKELY(statement->origin.list_id != 0)) {
    event->origin_id = statement->origin.list_id;
    event->origin_row = statement->origin.row;
    event->own_values = statement->origin.own_values;
  }
  memcpy(statement->counters, counters, sizeof counters);
}

static void look_up_late(struct statement *statement, bool is_in_call) {
  if (caller_mode != CALLERS_SAMPLE) return;
  const char *sql = statement->connection->copy->api.sql(statement->stmt);
  statement->caller_id = caller_now(sql ? sql : "", !statement->is_traced_run, is_in_call);
}

void look_up_slow(struct statement *statement) {
  if (statement->caller_id == 0) look_up_late(statement, true);
}

// Whether a run may be the attempt of a statement after a change of the schema: SQLite runs it again. One that
// started or ended a transaction has run; its event must not wait for the next statement, as others wait for the
// lock.
static bool may_be_repeated(const struct connection *connection, const struct statement_run_event *event) {
  if (event->rows > 0 || event->vm_steps > 4) return false;
  bool was_open = connection->transaction_id != 0;
  bool is_open = connection->copy->api.get_autocommit(connection->handle) == 0;
  return is_open == was_open;
}

// Whether it is ATTACH or DETACH.
static bool changes_databases(const char *command) {
  return ((command[0] | 32) == 'a' && strncasecmp(command, "attach", 6) == 0) ||
         ((command[0] | 32) == 'd' && strncasecmp(command, "detach", 6) == 0);
}

// The data of a run that is known when its result is: the transaction, the waits and the error.
static void report(struct connection *connection, struct ended_run *run, int code,
                   const struct statement *bindings) {
  bool gave_up = (code & 0xff) == SQLITE_BUSY;
  if (UNLIKELY(run->waits > 0 || gave_up))
    EMIT(busy, .store_id = connection->id, .attempts = run->waits, .wait_ns = run->wait_ns,
         .gave_up = gave_up);
  if (UNLIKELY(connection->io != NULL)) io_of_run(connection, run);
  if (UNLIKELY(changes_databases(command_of(run->text)))) {
    watch_databases(connection);
    announce_attached(connection);
  }
  transaction_after(connection, run, code);
  // Without `bindings` sqlite3_exec() ran it, which binds nothing.
  if (UNLIKELY(is_error(code)))
    run->event.error = describe_run_error(
        connection, run, code, bindings && connection->copy->api.bind_parameter_count(run->stmt) > 0);
  emit_run(&run->event, run->text->sql, bindings ? &bindings->values : NULL);
}

// Reports the run. One that callbacks saw is kept until its result code is known, or until it is
// clear that SQLite does not prepare and run it again.
void end_run(struct statement *statement, int code, int64_t now) {
  struct connection *connection = statement->connection;
  struct thread *thread = &this_thread;
  struct ended_run run = {.event.error = "", .text = statement->text, .stmt = statement->stmt,
                          .start = statement->start, .end = now, .wait_ns = thread->busy_ns,
                          .waits = thread->busy_attempts};
  int error = errno;
  statement->is_running = false;
  if (UNLIKELY(!is_of_recording(statement))) {
    statement->untimed = 0;
    return;
  }
  // Slow runs without a caller that was looked up. A line that ends a run may be another one than that which ran it: the
  // time that it was open counts only where that in SQLite is not known.
  int64_t time = statement->is_traced_run ? now - statement->start : statement->sqlite_ns;
  if (UNLIKELY(time > SLOW && statement->caller_id == 0)) look_up_late(statement, false);
  // A listener that began while the statement ran has received neither its text nor its caller.
  if (UNLIKELY(!is_received)) announce_text(connection->id, statement->text);
  if (UNLIKELY(statement->text->generation != generation)) {
    announce(statement);
    look_up_late(statement, false);
  }
  thread->busy_ns = 0;
  thread->busy_attempts = 0;
  fill(statement, &run, now);
  statement->untimed = 0;
  run.event.run_id = next_run_id();
  if (UNLIKELY(record_values)) record_bound_values(statement, run.event.bind_hash);
  if (statement->is_traced_run && statement->text->is_shared &&
      (connection->exec_depth > 0 || may_be_repeated(connection, &run.event))) {
    flush_pending(connection, SQLITE_OK);
    connection->pending = run;
    connection->has_pending = true;
  } else {
    report(connection, &run, code, statement);
  }
  errno = error;
}

void flush_pending(struct connection *connection, int code) {
  if (!connection->has_pending) return;
  connection->has_pending = false;
  bool has_failed = code != SQLITE_OK && !is_parse_error(connection, code);
  report(connection, &connection->pending, has_failed ? code : SQLITE_OK, NULL);
}

// Continues a run that seemed to have ended when SQLite prepared the statement again.
void resume_run(struct statement *statement) {
  struct connection *connection = statement->connection;
  connection->has_pending = false;
  statement->is_running = true;
  statement->is_traced_run = true;
  statement->start = connection->pending.start;
}
