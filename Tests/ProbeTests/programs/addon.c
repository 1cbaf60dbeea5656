// SPDX-License-Identifier: Apache-2.0

// A module of Node with a copy of SQLite in it, stripped and without exported functions, as better-sqlite3 is.
#include <node_api.h>
#include <sqlite3.h>
#include <stdlib.h>

static sqlite3 *database;
static sqlite3_stmt *statements[64];
static int statement_count;

static napi_value number(napi_env env, int64_t value) {
  napi_value result = NULL;
  napi_create_int64(env, value, &result);
  return result;
}

static char *text_of(napi_env env, napi_value value) {
  size_t length = 0;
  napi_get_value_string_utf8(env, value, NULL, 0, &length);
  char *text = malloc(length + 1);
  napi_get_value_string_utf8(env, value, text, length + 1, &length);
  return text;
}

// open(path)
static napi_value open_database(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  char *path = text_of(env, argument);
  int status = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
  free(path);
  return number(env, status);
}

// prepare(sql), which returns the statement's number.
static napi_value prepare(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  char *sql = text_of(env, argument);
  int status = statement_count == 64 ? SQLITE_FULL
                                     : sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                                          &statements[statement_count], NULL);
  free(sql);
  if (status != SQLITE_OK) napi_throw_error(env, NULL, "cannot prepare");
  return number(env, status == SQLITE_OK ? statement_count++ : -1);
}

// all(statement, value), which returns the number of rows.
static napi_value all(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  int32_t index = 0;
  int64_t value = 0, rows = 0;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  napi_get_value_int32(env, arguments[0], &index);
  if (count > 1) napi_get_value_int64(env, arguments[1], &value);
  sqlite3_stmt *statement = statements[index];
  if (sqlite3_bind_parameter_count(statement) > 0) sqlite3_bind_int64(statement, 1, value);
  while (sqlite3_step(statement) == SQLITE_ROW) rows++;
  if (sqlite3_reset(statement) != SQLITE_OK) napi_throw_error(env, NULL, sqlite3_errmsg(database));
  return number(env, rows);
}

// close()
static napi_value close_database(napi_env env, napi_callback_info info) {
  (void)info;
  while (statement_count > 0) sqlite3_finalize(statements[--statement_count]);
  return number(env, sqlite3_close(database));
}

NAPI_MODULE_INIT() {
  static const napi_property_descriptor functions[] = {
      {"open", NULL, open_database, NULL, NULL, NULL, napi_enumerable, NULL},
      {"prepare", NULL, prepare, NULL, NULL, NULL, napi_enumerable, NULL},
      {"all", NULL, all, NULL, NULL, NULL, napi_enumerable, NULL},
      {"close", NULL, close_database, NULL, NULL, NULL, napi_enumerable, NULL},
  };
  napi_define_properties(env, exports, sizeof functions / sizeof *functions, functions);
  return exports;
}
