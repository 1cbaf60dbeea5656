// SPDX-License-Identifier: Apache-2.0

// Calls that SQLite refuses, and callbacks of the program.

#include "host.h"

#include <sys/mman.h>

static int destroyed;
static void destroy(void *value) { destroyed++, free(value); }
static void destroy_nothing(void *value) { (void)value, destroyed++; }

static sqlite3_stmt *prepared(sqlite3 *handle, const char *sql) {
  sqlite3_stmt *statement;
  DEMAND(sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) == SQLITE_OK);
  return statement;
}

static void finish(sqlite3 *handle, sqlite3_stmt *statement) {
  printf("step %d destroyed %d\n", sqlite3_step(statement), destroyed);
  sqlite3_finalize(statement);
  printf("destroyed %d\n", destroyed);
  sqlite3_close(handle);
}

// Values that are too long are not read, nor values of parameters that do not exist.
static void values_that_are_refused(void) {
  sqlite3 *handle = connection(":memory:");
  sqlite3_stmt *statement = prepared(handle, "SELECT ?, ?");
  char *small = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *unreadable = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("%d\n", sqlite3_bind_blob64(statement, 1, small, 1ull << 32, SQLITE_STATIC));
  printf("%d\n", sqlite3_bind_text64(statement, 1, small, 1ull << 32, SQLITE_STATIC, SQLITE_UTF8));
  printf("%d\n", sqlite3_bind_text64(statement, 1, small, 1ull << 62, destroy_nothing, SQLITE_UTF16));
  printf("%d\n", sqlite3_bind_blob(statement, 3, unreadable, 4096, SQLITE_STATIC));
  printf("%d\n", sqlite3_bind_text(statement, 0, unreadable, -1, SQLITE_STATIC));
  printf("%d\n", sqlite3_bind_text16(statement, -1, unreadable, -1, SQLITE_STATIC));
  printf("%d\n", sqlite3_bind_zeroblob64(statement, 1, 1ull << 40));
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1000);
  printf("%d\n", sqlite3_bind_blob(statement, 2, unreadable, 1001, SQLITE_STATIC));
  printf("%d\n", sqlite3_bind_text(statement, 2, "within", 6, SQLITE_STATIC));
  finish(handle, statement);
}

static void values_of_a_running_statement(void) {
  sqlite3 *handle = connection(":memory:");
  sqlite3_stmt *statement = prepared(handle, "SELECT ? UNION ALL SELECT 2");
  void *unreadable = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sqlite3_bind_text(statement, 1, strdup("first"), -1, destroy);
  DEMAND(sqlite3_step(statement) == SQLITE_ROW);
  printf("%d\n", sqlite3_bind_blob(statement, 1, unreadable, 4096, SQLITE_STATIC));
  printf("%d\n", sqlite3_bind_text(statement, 1, strdup("second"), -1, destroy));
  printf("%d\n", sqlite3_bind_int(statement, 1, 5));
  printf("%d %d\n", sqlite3_bind_int(NULL, 1, 5), sqlite3_bind_text(NULL, 1, unreadable, 4, SQLITE_STATIC));
  printf("%s\n", sqlite3_column_text(statement, 0));
  finish(handle, statement);
}

// In a database of UTF-16, SQLite converts a text and destroys the program's at once.
static void values_of_utf16(void) {
  sqlite3 *handle = connection(":memory:");
  run(handle, "PRAGMA encoding = 'UTF-16le'");
  run(handle, "CREATE TABLE t(a)");
  sqlite3_stmt *statement = prepared(handle, "INSERT INTO t VALUES (?)");
  for (int i = 0; i < 100; i++) {
    char *text = malloc(2000);
    memset(text, 'a', 1999), text[1999] = 0;
    sqlite3_bind_text(statement, 1, text, -1, destroy);
    DEMAND(sqlite3_step(statement) == SQLITE_DONE);
    sqlite3_reset(statement);
  }
  printf("length %d\n", number(handle, "SELECT sum(length(a)) FROM t"));
  finish(handle, statement);
}

static void values_of_all_kinds(void) {
  sqlite3 *handle = connection(":memory:");
  sqlite3_stmt *statement = prepared(handle, "SELECT typeof(?) || typeof(?) || typeof(?) || typeof(?) || typeof(?)");
  sqlite3_bind_pointer(statement, 1, handle, "pointer", destroy_nothing);
  sqlite3_bind_zeroblob(statement, 2, -5);
  sqlite3_bind_blob(statement, 3, "", 0, SQLITE_STATIC);
  sqlite3_bind_text(statement, 4, NULL, 12, SQLITE_STATIC);
  sqlite3_bind_double(statement, 5, 0.0 / 0.0);
  DEMAND(sqlite3_step(statement) == SQLITE_ROW);
  printf("%s\n", sqlite3_column_text(statement, 0));
  finish(handle, statement);
}

static int traces;
static int trace(unsigned event, void *context, void *object, void *detail) {
  (void)context, (void)object, (void)detail;
  if (event == SQLITE_TRACE_STMT) printf("trace %s\n", (const char *)detail);
  return traces++, 0;
}

static int authorize(void *context, int action, const char *a, const char *b, const char *c, const char *d) {
  (void)context, (void)c, (void)d;
  printf("authorize %d %s %s\n", action, a ? a : "", b ? b : "");
  return SQLITE_OK;
}

static int on_commit(void *context) { return (void)context, printf("commit\n"), 0; }
static void on_rollback(void *context) { (void)context, printf("rollback\n"); }
static void on_update(void *context, int action, const char *schema, const char *table, sqlite3_int64 row) {
  (void)context, printf("update %d %s %s %d\n", action, schema, table, (int)row);
}
static int steps;
static int on_progress(void *context) { return (void)context, steps++, 0; }

static void callbacks(void) {
  sqlite3 *handle = connection(":memory:");
  sqlite3_trace_v2(handle, SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE | SQLITE_TRACE_CLOSE, trace, NULL);
  sqlite3_set_authorizer(handle, authorize, NULL);
  sqlite3_commit_hook(handle, on_commit, NULL);
  sqlite3_rollback_hook(handle, on_rollback, NULL);
  sqlite3_update_hook(handle, on_update, NULL);
  sqlite3_progress_handler(handle, 10, on_progress, NULL);
  run(handle, "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2); BEGIN; DELETE FROM t WHERE a = 1; ROLLBACK;");
  printf("%d\n", number(handle, "SELECT count(*) FROM t"));
  sqlite3_close(handle);
  printf("traces %d steps %d\n", traces, steps);
}

static void nested(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3 *handle = sqlite3_context_db_handle(context);
  sqlite3_stmt *statement = prepared(handle, "SELECT ? + 1");
  sqlite3_bind_value(statement, 1, values[0]);
  sqlite3_step(statement);
  sqlite3_result_int(context, sqlite3_column_int(statement, 0));
  sqlite3_finalize(statement);
}

static void functions_that_run_statements(void) {
  sqlite3 *handle = connection(":memory:");
  sqlite3_create_function(handle, "nested", 1, SQLITE_UTF8, NULL, nested, NULL, NULL);
  printf("%d\n", number(handle, "SELECT sum(nested(value)) FROM json_each('[1,2,3,4]')"));
  sqlite3_close(handle);
}

static void log_message(void *context, int code, const char *message) {
  (void)context, printf("log %d %s\n", code, message);
}

// SQLite's own error log, in which a misuse by the probe would be.
static void error_log(void) {
  sqlite3_config(SQLITE_CONFIG_LOG, log_message, NULL);
  sqlite3 *handle = connection(":memory:");
  run(handle, "CREATE TABLE t(a UNIQUE)");
  run(handle, "INSERT INTO t VALUES (1); INSERT INTO t VALUES (1)");
  run(handle, "SELECT * FROM missing");
  sqlite3_stmt *statement = prepared(handle, "INSERT INTO t VALUES (?)");
  run(handle, "DROP TABLE t");
  sqlite3_bind_int(statement, 9, 9);
  printf("%d\n", sqlite3_step(statement));
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  printf("%d\n", sqlite3_open_v2("/no/such/file", &handle, SQLITE_OPEN_READONLY, NULL));
  printf("%s %d\n", sqlite3_errmsg(handle), sqlite3_system_errno(handle));
  sqlite3_close(handle);
  sqlite3_shutdown();
  work();
}

static void error_numbers(void) {
  sqlite3 *handle;
  errno = 7;
  sqlite3_open(":memory:", &handle);
  for (int i = 0; i < 3; i++) {
    errno = 7;
    sqlite3_stmt *statement = prepared(handle, "SELECT ?");
    sqlite3_bind_text(statement, 1, "text", -1, SQLITE_TRANSIENT);
    sqlite3_step(statement);
    printf("%d ", errno);
    sqlite3_reset(statement);
    sqlite3_finalize(statement);
    printf("%d\n", errno);
  }
  errno = 7;
  sqlite3_close(handle);
  printf("%d\n", errno);
}

static int busy_calls;
static int busy(void *context, int count) { return (void)context, busy_calls++, count < 3; }

static void waits(void) {
  sqlite3 *one = connection("waits.db"), *other = connection("waits.db");
  run(one, "DROP TABLE IF EXISTS t; CREATE TABLE t(a); BEGIN IMMEDIATE");
  sqlite3_busy_handler(other, busy, NULL);
  run(other, "BEGIN IMMEDIATE");
  sqlite3_busy_timeout(other, 20);
  run(other, "INSERT INTO t VALUES (1)");
  printf("busy %d timeout %d\n", busy_calls, number(other, "PRAGMA busy_timeout"));
  run(one, "COMMIT");
  sqlite3_close(one), sqlite3_close(other);
}

HOSTS({"values_that_are_refused", values_that_are_refused},
      {"values_of_a_running_statement", values_of_a_running_statement}, {"values_of_utf16", values_of_utf16},
      {"values_of_all_kinds", values_of_all_kinds}, {"callbacks", callbacks},
      {"functions_that_run_statements", functions_that_run_statements}, {"error_log", error_log},
      {"error_numbers", error_numbers}, {"waits", waits})
