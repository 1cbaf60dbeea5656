// SPDX-License-Identifier: Apache-2.0

// The test that an environment variable names: a process that a test starts or forks reports it before
// its first statement, as if it had run the marker `SELECT 'storescope: test NAME'`.

#include "test-name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log-text.h"
#include "recording.h"

enum { LONGEST_NAME = 256 };

// pytest sets the second one to `tests/test_app.py::test_list (call)`.
static const char *name_of_test(void) {
  const char *name = getenv("STORE_TEST_NAME");
  if (!name || !*name) name = getenv("PYTEST_CURRENT_TEST");
  return name && *name ? name : NULL;
}

static void write_marker(const char *name, char *marker, size_t size) {
  char valid[LONGEST_NAME * 3];
  size_t length = copy_valid_utf8(valid, name, strnlen(name, LONGEST_NAME));
  for (size_t i = 0; i < length; i++)
    if (valid[i] == '\'' || (unsigned char)valid[i] < ' ') valid[i] = ' ';
  static const char call[] = " (call)";
  size_t end = sizeof call - 1;
  if (length > end && memcmp(valid + length - end, call, end) == 0) length -= end;
  snprintf(marker, size, "SELECT 'storescope: test %.*s'", (int)length, valid);
}

// Once in each process, and again when a listener begins: the environment may change while other
// threads run, and is not read again.
void announce_test(const struct connection *connection) {
  static unsigned announced;
  if (__atomic_exchange_n(&announced, generation, __ATOMIC_RELAXED) == generation) return;
  const char *name = name_of_test();
  if (!name) return;
  char marker[LONGEST_NAME * 3 + 64];
  write_marker(name, marker, sizeof marker);
  struct text *text = text_of_sql(marker);
  if (!text) return;
  emit_statement(connection->id, text->statement_id, text->sql);
  struct statement_run_event event = {.connection_id = connection->id, .statement_id = text->statement_id,
                                .run_id = next_run_id(), .readonly = 1, .error = ""};
  emit_run(&event, text->sql, NULL);
  release_text(text);
}
