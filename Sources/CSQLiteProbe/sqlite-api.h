// SPDX-License-Identifier: Apache-2.0

// The functions of one copy of SQLite that the probe calls, and the constants it needs.
//
// Declared here by hand: the probe is not linked with SQLite and observes copies of any version.

#pragma once

#include <stdint.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_value sqlite3_value;

enum {
  SQLITE_OK = 0, SQLITE_BUSY = 5, SQLITE_SCHEMA = 17, SQLITE_CONSTRAINT = 19, SQLITE_ROW = 100, SQLITE_DONE = 101,
  SQLITE_TRACE_STMT = 1, SQLITE_TRACE_PROFILE = 2, SQLITE_TRACE_ROW = 4, SQLITE_TRACE_CLOSE = 8,
  SQLITE_FCNTL_FILE_POINTER = 7, SQLITE_FCNTL_VFSNAME = 12,
  SQLITE_FCNTL_DATA_VERSION = 35,
  SQLITE_DBSTATUS_CACHE_HIT = 7, SQLITE_DBSTATUS_CACHE_MISS = 8, SQLITE_DBSTATUS_CACHE_WRITE = 9,
  SQLITE_OK_LOAD_PERMANENTLY = 256,
  SQLITE_TXN_WRITE = 2,
  SQLITE_LIMIT_LENGTH = 0,
  SQLITE_INTEGER = 1, SQLITE_FLOAT = 2, SQLITE_TEXT = 3, SQLITE_BLOB = 4,
  SQLITE_OPEN_READONLY = 1, SQLITE_OPEN_READWRITE = 2, SQLITE_OPEN_CREATE = 4,
  // sqlite3_trace_v2() came with 3.14.
  OLDEST_SQLITE = 3014000,
};

typedef int (*trace_callback)(unsigned, void *, void *, void *);
typedef int (*row_callback)(void *, int, char **, char **);
typedef void (*plain_trace_callback)(void *, const char *);
typedef void (*profile_callback)(void *, const char *, uint64_t);
typedef int (*busy_callback)(void *, int);

// X(return type, name, parameters, index in sqlite3_api_routines)
//
// The index is that of sqlite3ext.h, which only ever appends.
#define REQUIRED_FUNCTIONS(X)                                         \
  X(const char *, libversion, (void), 66)                             \
  X(int, libversion_number, (void), 67)                               \
  X(const char *, sql, (sqlite3_stmt *), 153)                         \
  X(sqlite3_stmt *, next_stmt, (sqlite3 *, sqlite3_stmt *), 152)      \
  X(sqlite3 *, db_handle, (sqlite3_stmt *), 49)                       \
  X(int, stmt_status, (sqlite3_stmt *, int, int), 170)                \
  X(int, trace_v2, (sqlite3 *, unsigned, trace_callback, void *), 214) \
  X(int, get_autocommit, (sqlite3 *), 60)                             \
  X(int, changes, (sqlite3 *), 15)                                    \
  X(int, total_changes, (sqlite3 *), 97)                              \
  X(const char *, errmsg, (sqlite3 *), 53)                            \
  X(const char *, errstr, (int), 183)                                 \
  X(int, stmt_readonly, (sqlite3_stmt *), 185)                        \
  X(const char *, db_filename, (sqlite3 *, const char *), 180)        \
  X(int, db_readonly, (sqlite3 *, const char *), 181)                 \
  X(char *, expanded_sql, (sqlite3_stmt *), 215)                      \
  X(void, free, (void *), 58)                                         \
  X(int, bind_parameter_count, (sqlite3_stmt *), 7)                   \
  X(int, stmt_busy, (sqlite3_stmt *), 184)                            \
  X(int, limit, (sqlite3 *, int, int), 151)                           \
  X(int, column_int, (sqlite3_stmt *, int), 28)                       \
  X(int, data_count, (sqlite3_stmt *), 48)                            \
  X(sqlite3_value *, column_value, (sqlite3_stmt *, int), 39)         \
  X(int, value_type, (sqlite3_value *), 113)                          \
  X(int64_t, value_int64, (sqlite3_value *), 107)                     \
  X(double, value_double, (sqlite3_value *), 105)                     \
  X(int, value_bytes, (sqlite3_value *), 103)                         \
  X(const void *, value_blob, (sqlite3_value *), 102)                 \
  X(const unsigned char *, value_text, (sqlite3_value *), 109)        \
  X(int, file_control, (sqlite3 *, const char *, int, void *), 127)   \
  X(void *, vfs_find, (const char *), 141)                            \
  X(int, db_status, (sqlite3 *, int, int *, int *, int), 165)

// Absent from older copies.
#define OPTIONAL_FUNCTIONS(X)                                \
  X(int, txn_state, (sqlite3 *, const char *), 252)          \
  X(int64_t, changes64, (sqlite3 *), 253)                    \
  X(int, error_offset, (sqlite3 *), 256)                     \
  X(const char *, db_name, (sqlite3 *, int), 264)            \
  X(int, uri_boolean, (const char *, const char *, int), 187)

// The versions of the optional ones, for copies that are known by their table alone.
enum { TXN_STATE_SINCE = 3034000, CHANGES64_SINCE = 3037000, ERROR_OFFSET_SINCE = 3038000, DB_NAME_SINCE = 3039000,
       URI_OF_NAME_SINCE = 3031000 };

struct sqlite_api {
#define FIELD(type, name, parameters, index) type(*name) parameters;
  REQUIRED_FUNCTIONS(FIELD) OPTIONAL_FUNCTIONS(FIELD)
#undef FIELD
};

// Of a text or a blob. A text is not read as a blob: sqlite3_column_bytes16() then returns the length in UTF-8.
static inline const void *bytes_of_value(const struct sqlite_api *api, sqlite3_value *value) {
  return api->value_type(value) == SQLITE_TEXT ? (const void *)api->value_text(value) : api->value_blob(value);
}

// The functions that the program calls and that the probe replaces.
//
// X(return type, name, parameters, arguments)
#define HOOKED_FUNCTIONS(X)                                                                      \
  X(int, open, (const char *a, sqlite3 **b), (a, b))                                             \
  X(int, open_v2, (const char *a, sqlite3 **b, int c, const char *d), (a, b, c, d))              \
  X(int, open16, (const void *a, sqlite3 **b), (a, b))                                           \
  X(int, close, (sqlite3 *a), (a))                                                               \
  X(int, close_v2, (sqlite3 *a), (a))                                                            \
  X(int, step, (sqlite3_stmt *a), (a))                                                           \
  X(int, reset, (sqlite3_stmt *a), (a))                                                          \
  X(int, finalize, (sqlite3_stmt *a), (a))                                                       \
  X(int, exec, (sqlite3 *a, const char *b, row_callback c, void *d, char **e), (a, b, c, d, e))  \
  X(int, get_table, (sqlite3 *a, const char *b, char ***c, int *d, int *e, char **f),            \
    (a, b, c, d, e, f))                                                                          \
  X(int, trace_v2, (sqlite3 *a, unsigned b, trace_callback c, void *d), (a, b, c, d))            \
  X(void *, trace, (sqlite3 *a, plain_trace_callback b, void *c), (a, b, c))                     \
  X(void *, profile, (sqlite3 *a, profile_callback b, void *c), (a, b, c))                       \
  X(int, busy_handler, (sqlite3 *a, busy_callback b, void *c), (a, b, c))                        \
  X(int, busy_timeout, (sqlite3 *a, int b), (a, b))                                              \
  X(int, wal_checkpoint, (sqlite3 *a, const char *b), (a, b))                                    \
  X(int, wal_checkpoint_v2, (sqlite3 *a, const char *b, int c, int *d, int *e), (a, b, c, d, e)) \
  X(int, prepare, (sqlite3 *a, const char *b, int c, sqlite3_stmt **d, const char **e),          \
    (a, b, c, d, e))                                                                             \
  X(int, prepare_v2, (sqlite3 *a, const char *b, int c, sqlite3_stmt **d, const char **e),       \
    (a, b, c, d, e))                                                                             \
  X(int, prepare_v3, (sqlite3 *a, const char *b, int c, unsigned d, sqlite3_stmt **e,            \
    const char **f), (a, b, c, d, e, f))                                                         \
  X(int, prepare16, (sqlite3 *a, const void *b, int c, sqlite3_stmt **d, const void **e),        \
    (a, b, c, d, e))                                                                             \
  X(int, prepare16_v2, (sqlite3 *a, const void *b, int c, sqlite3_stmt **d, const void **e),     \
    (a, b, c, d, e))                                                                             \
  X(int, clear_bindings, (sqlite3_stmt *a), (a))                                                 \
  X(int, bind_null, (sqlite3_stmt *a, int b), (a, b))                                            \
  X(int, bind_int, (sqlite3_stmt *a, int b, int c), (a, b, c))                                   \
  X(int, bind_int64, (sqlite3_stmt *a, int b, int64_t c), (a, b, c))                             \
  X(int, bind_double, (sqlite3_stmt *a, int b, double c), (a, b, c))                             \
  X(int, bind_text, (sqlite3_stmt *a, int b, const char *c, int d, void (*e)(void *)),           \
    (a, b, c, d, e))                                                                             \
  X(int, bind_text64, (sqlite3_stmt *a, int b, const char *c, uint64_t d, void (*e)(void *),     \
    unsigned char f), (a, b, c, d, e, f))                                                        \
  X(int, bind_text16, (sqlite3_stmt *a, int b, const void *c, int d, void (*e)(void *)),         \
    (a, b, c, d, e))                                                                             \
  X(int, bind_blob, (sqlite3_stmt *a, int b, const void *c, int d, void (*e)(void *)),           \
    (a, b, c, d, e))                                                                             \
  X(int, bind_blob64, (sqlite3_stmt *a, int b, const void *c, uint64_t d, void (*e)(void *)),    \
    (a, b, c, d, e))                                                                             \
  X(int, bind_value, (sqlite3_stmt *a, int b, const void *c), (a, b, c))                         \
  X(int, bind_zeroblob, (sqlite3_stmt *a, int b, int c), (a, b, c))                              \
  X(int, bind_zeroblob64, (sqlite3_stmt *a, int b, uint64_t c), (a, b, c))

enum hooked {
#define NUMBER(type, name, parameters, arguments) HOOKED_##name,
  HOOKED_FUNCTIONS(NUMBER)
#undef NUMBER
  HOOKED_COUNT
};

struct sqlite_hooked {
#define FIELD(type, name, parameters, arguments) type(*name) parameters;
  HOOKED_FUNCTIONS(FIELD)
#undef FIELD
};
