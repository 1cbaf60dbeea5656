// SPDX-License-Identifier: Apache-2.0

// The test that runs, as the environment names it: pytest sets a variable for each phase of each test.
// Each name is reported as if the program had run the marker `SELECT 'storescope: test NAME'`.

#include "test-name.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lifecycle.h"
#include "log-text.h"
#include "network-hooks.h"
#include "recording.h"

enum { LONGEST_NAME = 256, LONGEST_MARKER = LONGEST_NAME * 3 + 64 };

// The first one that is set counts. pytest sets the second one to `tests/test_app.py::test_list (call)`.
static const char *const variables[] = {"STORE_TEST_NAME", "PYTEST_CURRENT_TEST"};
enum { VARIABLES = sizeof variables / sizeof *variables };

// The environment is read once: later it may change while another thread reads it, so that the hooks
// keep the values that they saw.
static char names[VARIABLES][LONGEST_NAME];
static bool is_read, is_named;
static unsigned announced;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool has_named_tests(void) { return is_named; }

static void keep_name(int variable, const char *value) {
  size_t length = value ? strnlen(value, LONGEST_NAME - 1) : 0;
  if (length > 0) memcpy(names[variable], value, length);
  names[variable][length] = 0;
}

static void read_environment(void) {
  for (int i = 0; i < VARIABLES && !is_read; i++) keep_name(i, getenv(variables[i]));
  is_read = true;
}

// An empty name ends a test.
static bool write_marker(char *marker) {
  const char *name = names[0][0] ? names[0] : names[1];
  if (!*name && !is_named) return false;
  is_named = true;
  char valid[LONGEST_NAME * 3];
  size_t length = copy_valid_utf8(valid, name, strlen(name));
  for (size_t i = 0; i < length; i++)
    if (valid[i] == '\'' || (unsigned char)valid[i] < ' ') valid[i] = ' ';
  static const char call[] = " (call)";
  size_t end = sizeof call - 1;
  if (length > end && memcmp(valid + length - end, call, end) == 0) length -= end;
  snprintf(marker, LONGEST_MARKER, "SELECT 'storescope: test %.*s'", (int)length, valid);
  return true;
}

static void emit_marker(uint64_t connection_id, const char *marker) {
  struct text *text = text_of_sql(marker);
  if (!text) return;
  emit_statement(connection_id, text->statement_id, text->sql);
  struct statement_run_event event = {.connection_id = connection_id, .statement_id = text->statement_id,
                                      .run_id = next_run_id(), .readonly = 1, .error = ""};
  emit_run(&event, text->sql, NULL);
  release_text(text);
}

// Once in each process, and again when a listener begins.
void announce_test(const struct connection *connection) {
  char marker[LONGEST_MARKER];
  pthread_mutex_lock(&lock);
  bool is_new = announced != generation;
  announced = generation;
  read_environment();
  is_new = is_new && write_marker(marker);
  pthread_mutex_unlock(&lock);
  if (is_new) emit_marker(connection->id, marker);
}

// A name that is set before the first connection is reported with it.
static void name_changed(int variable, const char *value) {
  char marker[LONGEST_MARKER];
  pthread_mutex_lock(&lock);
  read_environment();
  keep_name(variable, value);
  bool is_new = announced == generation && is_recording() && write_marker(marker);
  pthread_mutex_unlock(&lock);
  if (!is_new) return;
  // What two tests run is no loop, as that of two requests is none.
  count_message();
  emit_marker(0, marker);
}

static void after_fork(void) { pthread_mutex_init(&lock, NULL); }

LIFECYCLE(.after_fork = after_fork)

static int number_of_variable(const char *name, size_t length) {
  for (int i = 0; name && i < VARIABLES; i++)
    if (strlen(variables[i]) == length && memcmp(name, variables[i], length) == 0) return i;
  return -1;
}

static void changed(const char *name, size_t length, const char *value) {
  int error = errno, variable = number_of_variable(name, length);
  if (variable >= 0) name_changed(variable, value);
  errno = error;
}

static int hook_setenv(const char *name, const char *value, int overwrites) {
  int code = setenv(name, value, overwrites);
  if (code == 0 && overwrites) changed(name, strlen(name), value);
  return code;
}

static int hook_unsetenv(const char *name) {
  int code = unsetenv(name);
  if (code == 0) changed(name, strlen(name), NULL);
  return code;
}

static int hook_putenv(char *entry) {
  int code = putenv(entry);
  size_t length = code == 0 ? strcspn(entry, "=") : 0;
  changed(entry, length, length > 0 && entry[length] ? entry + length + 1 : NULL);
  return code;
}

void *environment_hook(const char *name) {
  if (strcmp(name, "setenv") == 0) return (void *)hook_setenv;
  if (strcmp(name, "unsetenv") == 0) return (void *)hook_unsetenv;
  return strcmp(name, "putenv") == 0 ? (void *)hook_putenv : NULL;
}
