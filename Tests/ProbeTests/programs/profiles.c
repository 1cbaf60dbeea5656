// SPDX-License-Identifier: Apache-2.0

// The program's own trace and profile callbacks, in each order in which they can be set: which of them SQLite
// calls, with sqlite3_exec() in between.

#include "library.h"

static void plain(void *context, const char *sql) { printf("  trace%s %s\n", (char *)context, sql); }

static void profile(void *context, const char *sql, sqlite3_uint64 time) {
  (void)time;
  printf("  profile%s %s\n", (char *)context, sql);
}

static int second(unsigned event, void *context, void *statement, void *text) {
  printf("  v2%s %u %s\n", (char *)context, event, event == SQLITE_TRACE_STMT ? (char *)text : sqlite3_sql(statement));
  return 0;
}

static const char *text_of(void *context) { return context ? context : "-"; }

static void set(sqlite3 *handle, char what) {
  printf("%c: ", what);
  switch (what) {
    case 't': printf("%s\n", text_of(sqlite3_trace(handle, plain, "T"))); break;
    case 'T': printf("%s\n", text_of(sqlite3_trace(handle, NULL, "t"))); break;
    case 'p': printf("%s\n", text_of(sqlite3_profile(handle, profile, "P"))); break;
    case 'P': printf("%s\n", text_of(sqlite3_profile(handle, NULL, "p"))); break;
    case 's': printf("%d\n", sqlite3_trace_v2(handle, SQLITE_TRACE_STMT, second, "S")); break;
    case 'f': printf("%d\n", sqlite3_trace_v2(handle, SQLITE_TRACE_PROFILE, second, "F")); break;
    case 'S': printf("%d\n", sqlite3_trace_v2(handle, 0, NULL, NULL)); break;
  }
}

int main(void) {
  static const char settings[] = "tTpPsfS";
  for (const char *a = settings; *a; a++)
    for (const char *b = settings; *b; b++)
      for (const char *c = settings; *c; c++) {
        sqlite3 *handle;
        check(sqlite3_open(":memory:", &handle), NULL);
        set(handle, *a);
        set(handle, *b);
        execute(handle, "SELECT 1 WHERE 0");
        set(handle, *c);
        execute(handle, "SELECT 2 WHERE 0");
        query(handle, "SELECT ?", 4);
        set(handle, 'T');
        set(handle, 'P');
        check(sqlite3_close(handle), handle);
      }
  print_counts();
  return 0;
}
