// SPDX-License-Identifier: Apache-2.0

// The SQL debug log, in the words and the format of the store's own: Documentation/DebugLog.md.

#define _GNU_SOURCE
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "log-check.h"
#include "log-sink.h"
#include "log-text.h"
#include "macros.h"
#include "process.h"
#include "settings.h"
#include "state.h"

enum { LONGEST_VALUE = 256 };

static struct log_text log_lines;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long utc_offset;
static bool is_open, is_ending;
// The counts of the lines since the last closing line.
static struct log_check check;

// The time of the last line, in microseconds, and its thread, from which short lines count.
static int64_t last_moment;
static int32_t last_thread;
// The events with fields that a short line of this file has explained.
static bool is_explained[EVENT_COUNT];

static void begin_line(const char *category) {
  last_moment = log_moment(&log_lines, utc_offset);
  last_thread = thread_id();
  log_bytes(&log_lines, " ", 1);
  const char *program = program_name();
  log_escaped(&log_lines, program, strlen(program), false);
  log_bytes(&log_lines, "[", 1);
  log_signed(&log_lines, current_process());
  log_bytes(&log_lines, ":", 1);
  log_signed(&log_lines, last_thread);
  log_string(&log_lines, "] ObjectStore: ");
  log_string(&log_lines, category);
  log_lines.lines++;
}

static void end_line(void) { log_bytes(&log_lines, "\n", 1); }

static void begin_lines(void) {
  log_lines.count = 0;
  log_lines.lines = 0;
  if (sink_lost() > 0) {
    begin_line("warning: ");
    log_signed(&log_lines, sink_lost());
    log_string(&log_lines, " lines of this log were lost: they could not be written");
    end_line();
    log_lines.lines--;
  }
}

static void end_lines(void) {
  check_lines(&check, log_lines.bytes, log_lines.count);
  sink_write(log_lines.bytes, log_lines.count, log_lines.lines);
}

// A thread that was stopped may hold the lock forever; then the log has no last lines.
static bool lock_at_end(void) {
  for (int tries = 0; tries < 100; tries++) {
    if (pthread_mutex_trylock(&lock) == 0) return true;
    usleep(1000);
  }
  return false;
}

static bool begin_group(void) {
  pthread_mutex_lock(&lock);
  bool is_taken = log_level > 0 && !is_ending;
  if (is_taken) begin_lines();
  else pthread_mutex_unlock(&lock);
  return is_taken;
}

static void end_group(void) {
  end_lines();
  pthread_mutex_unlock(&lock);
}

// Before all others: another thread may wait for the lock.
static void open_line(void) {
  check = (struct log_check){0};
  memset(is_explained, 0, sizeof is_explained);
  begin_lines();
  begin_line("annotation: ");
  char text[160];
  long magnitude = labs(utc_offset);
  snprintf(text, sizeof text, "log opened: vocabulary=%d utc_offset=%c%02ld:%02ld level=%d",
           STORE_VOCABULARY_VERSION, utc_offset < 0 ? '-' : '+', magnitude / 3600, magnitude % 3600 / 60,
           log_level);
  log_string(&log_lines, text);
  end_line();
  end_lines();
}

static void complain(const char *fact, const char *detail) {
  dprintf(STDERR_FILENO, "StoreScope: warning: %s: %s; nothing is logged\n", fact, detail);
}

// The folder of a recording was named, and that has ended: without a word.
static void complain_of_file(void) {
  char text[128];
  int error = errno;
  if (error == ESHUTDOWN) return;
  snprintf(text, sizeof text, "its log cannot be opened: %s", strerror(error));
  if (setting("STORE_TRACE_RECORDING")) log_untraced(text);
  else complain("cannot open the log in STORE_SQL_DEBUG_FILE", strerror(error));
}

static bool open_log(const char *path, long level) {
  time_t now = time(NULL);
  struct tm local;
  pthread_mutex_lock(&lock);
  is_open = sink_open(path) == 0;
  if (is_open) {
    utc_offset = localtime_r(&now, &local) ? local.tm_gmtoff : 0;
    log_level = level > 4 ? 4 : (int)level;
    is_ending = false;
    open_line();
  }
  pthread_mutex_unlock(&lock);
  if (!is_open) complain_of_file();
  return is_open;
}

// Opens the log that STORE_SQL_DEBUG and STORE_SQL_DEBUG_FILE configure; `log_level` is then its
// level.
void log_open(void) {
  const char *value = setting("STORE_SQL_DEBUG");
  const char *path = setting("STORE_SQL_DEBUG_FILE");
  if (path && !*path) path = NULL;
  if (!value || !*value) {
    if (path) complain("STORE_SQL_DEBUG_FILE needs a level as well", "set STORE_SQL_DEBUG=1");
    return;
  }
  char *end;
  long level = strtol(value, &end, 10);
  if (*end || level <= 0) return;
  open_log(path, level);
}

// Opens a log in the folder of the recording, for a process that LTTng does not fit into; returns false without one.
bool log_open_for_tracer(void) {
  const char *folder = setting("STORE_TRACE_FOLDER");
  return folder && *folder && (is_open || open_log(folder, record_values ? 2 : 1));
}

bool log_has_ended(void) { return is_open && sink_has_ended(); }

void log_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  check = (struct log_check){0};
  is_ending = false;
  sink_after_fork();
}

void log_begin_in_child(void) {
  if (!is_open) return;
  is_open = sink_open_in_child() == 0;
  if (is_open) return open_line();
  log_level = 0;
  complain_of_file();
}

// The recorder names a file for it; otherwise it goes to standard error.
void log_untraced(const char *reason) {
  if (!setting("STORE_TRACE_RECORDING")) return;
  const char *path = setting("STORE_TRACE_NOTES");
  int file = path && *path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW) : -1;
  if (file >= 0) dprintf(file, "%s[%d]: %s\n", program_name(), current_process(), reason);
  else
    dprintf(STDERR_FILENO, "StoreScope: warning: %s[%d] is not recorded: %s\n", program_name(),
            current_process(), reason);
  if (file >= 0) close(file);
  if (log_level > 0) log_warning(reason);
}

// The line by which a reader finds that none before it is missing or changed.
void log_close(int status) {
  if (!is_open || !lock_at_end()) return;
  char text[64];
  int count = snprintf(text, sizeof text, "lines=%" PRIu64 " status=%d", check.lines, status);
  uint64_t sum = check.sum + line_hash(text, (size_t)count);
  char line[128];
  snprintf(line, sizeof line, "log closed: %s check=%016" PRIx64, text, sum);
  log_lines.count = 0;
  log_lines.lines = 0;
  begin_line("annotation: ");
  log_string(&log_lines, line);
  end_line();
  if (check.lines > 0) sink_write(log_lines.bytes, log_lines.count, log_lines.lines);
  sink_close();
  check = (struct log_check){0};
  // A program that ends may use SQLite until its last handler.
  if (is_ending) log_level = 0;
  pthread_mutex_unlock(&lock);
}

EXPORTED long long sqliteprobe_log_end(void) {
  pthread_mutex_lock(&lock);
  long long end = is_open ? sink_end() : -1;
  pthread_mutex_unlock(&lock);
  return end;
}

void log_ends(void) {
  pthread_mutex_lock(&lock);
  is_ending = true;
  pthread_mutex_unlock(&lock);
}

static void field_name(const char *name) {
  log_bytes(&log_lines, " ", 1);
  log_string(&log_lines, name);
  log_bytes(&log_lines, "=", 1);
}

static void unsigned_field(const char *name, uint64_t value) {
  if (value == 0) return;
  field_name(name);
  log_unsigned(&log_lines, value, 1);
}

static void signed_field(const char *name, int64_t value) {
  if (value == 0) return;
  field_name(name);
  log_signed(&log_lines, value);
}

static void text_field(const char *name, const char *value) {
  if (!value || !*value) return;
  field_name(name);
  log_escaped(&log_lines, value, strlen(value), true);
}

#define UNSIGNED(field) unsigned_field(#field, event->field);
#define SIGNED(field) signed_field(#field, event->field);
#define TEXT(field) text_field(#field, event->field);
#define FIELDS(name) \
  case EVENT_##name: { \
    const struct name##_event *event = fields; \
    log_string(&log_lines, #name); \
    FIELDS_##name(UNSIGNED, SIGNED, TEXT) \
    break; \
  }

static void fields_line(enum event_kind kind, const void *fields) {
  begin_line("annotation: ");
  switch (kind) {
    PROBE_EVENTS(FIELDS)
    case EVENT_COUNT: break;
  }
  end_line();
}

#define NAME(field) log_string(&log_lines, #field ",");
#define NAMES(name) \
  case EVENT_##name: log_string(&log_lines, #name " "); FIELDS_##name(NAME, NAME, NAME) break;

// `log fields: 13=statement_run connection_id,statement_id,`, before the first line that has their values alone.
static void explain(enum event_kind kind) {
  begin_line("annotation: log fields: ");
  log_unsigned(&log_lines, kind, 1);
  log_bytes(&log_lines, "=", 1);
  switch (kind) {
    PROBE_EVENTS(NAMES)
    case EVENT_COUNT: break;
  }
  end_line();
}

static void short_unsigned(uint64_t value) {
  if (value != 0) log_unsigned(&log_lines, value, 1);
  log_byte(&log_lines, ',');
}

static void short_signed(int64_t value) {
  if (value != 0) log_signed(&log_lines, value);
  log_byte(&log_lines, ',');
}

static void short_text(const char *value) {
  if (value && *value) log_escaped(&log_lines, value, strlen(value), true);
  log_byte(&log_lines, ',');
}

#define SHORT_UNSIGNED(field) short_unsigned(event->field);
#define SHORT_SIGNED(field) short_signed(event->field);
#define SHORT_TEXT(field) short_text(event->field);
#define SHORT_FIELDS(name) \
  case EVENT_##name: { \
    const struct name##_event *event = fields; \
    FIELDS_##name(SHORT_UNSIGNED, SHORT_SIGNED, SHORT_TEXT) \
    break; \
  }

// `~13 157 120 1,4529202316113720910,2`: 157 us after the line before, on thread 120; nothing instead of the same
// thread, of 0, and of the values after the last one.
static void short_line(enum event_kind kind, const void *fields) {
  if (!is_explained[kind]) explain(kind);
  is_explained[kind] = true;
  int64_t moment = log_clock(utc_offset);
  int32_t thread = thread_id();
  log_byte(&log_lines, '~');
  log_unsigned(&log_lines, kind, 1);
  log_byte(&log_lines, ' ');
  log_signed(&log_lines, moment - last_moment);
  log_byte(&log_lines, ' ');
  if (thread != last_thread) log_signed(&log_lines, thread);
  log_byte(&log_lines, ' ');
  last_moment = moment;
  last_thread = thread;
  switch (kind) {
    PROBE_EVENTS(SHORT_FIELDS)
    case EVENT_COUNT: break;
  }
  while (log_lines.bytes[log_lines.count - 1] == ',') log_lines.count--;
  log_byte(&log_lines, '\n');
  log_lines.lines++;
}

static void opened_line(const struct connection_opened_event *event) {
  begin_line("annotation: ");
  log_string(&log_lines, "Connecting to sqlite database file at ");
  log_escaped(&log_lines, event->path, strlen(event->path), true);
  end_line();
}

static void busy_line(const struct busy_event *event) {
  begin_line("warning: ");
  log_string(&log_lines, event->gave_up ? "gave up after waiting " : "waited ");
  log_seconds(&log_lines, event->wait_ns);
  log_string(&log_lines, " for another connection's lock");
  end_line();
}

static void not_observed_line(const struct copy_not_observed_event *event) {
  const char *parts[] = {"a copy of SQLite ", event->sqlite_version, " in ", event->sqlite_path,
                         " was seen and not observed: ", event->reason};
  begin_line("warning: ");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    log_escaped(&log_lines, parts[i], strlen(parts[i]), false);
  end_line();
}

static void event_lines(enum event_kind kind, const void *event) {
  if (sink_is_mapped()) return short_line(kind, event);
  if (kind == EVENT_connection_opened) opened_line(event);
  if (kind == EVENT_busy) busy_line(event);
  if (kind == EVENT_copy_not_observed) not_observed_line(event);
  fields_line(kind, event);
}

static void count_event(uint64_t *count) {
  if (count) __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

void log_counters(uint64_t *count) {
  if (!lock_at_end()) return;
  if (log_level > 0) {
    begin_lines();
    event_lines(EVENT_counters, &(struct counters_event){.events = __atomic_fetch_add(count, 1, __ATOMIC_RELAXED)});
    end_lines();
  }
  pthread_mutex_unlock(&lock);
}

void log_event(enum event_kind kind, const void *event, uint64_t *count) {
  // A log has the values of each run from level 2 on, in lines of their own.
  if (kind == EVENT_values || !begin_group()) return;
  count_event(count);
  event_lines(kind, event);
  end_group();
}

void log_warning(const char *text) {
  if (!begin_group()) return;
  begin_line("warning: ");
  log_escaped(&log_lines, text, strlen(text), false);
  end_line();
  end_group();
}

// Unescapes a text literal; returns its count of bytes.
static size_t read_literal(const char *literal, const char *end, char *text) {
  size_t count = 0;
  for (const char *at = literal + 1; at < end; at++) {
    text[count++] = *at;
    if (*at == '\'') at++;
  }
  return count;
}

// One bound value, an SQL literal, as the store's log writes it: `SQLite bind[0] = (int64) 5`.
static void bind_line(int index, const char *literal) {
  begin_line("details: ");
  log_string(&log_lines, "SQLite bind[");
  log_signed(&log_lines, index);
  log_string(&log_lines, "] = ");
  const char *quote = strrchr(literal, '\'');
  unsigned long size = 0;
  const char *cut = quote ? strstr(quote, "/* cut, ") : NULL;
  if (cut) size = strtoul(cut + 8, NULL, 10);
  if (strcmp(literal, "NULL") == 0) {
    log_string(&log_lines, "nil");
  } else if (*literal == '\'') {
    char text[LONGEST_VALUE * 4];
    log_escaped(&log_lines, text, read_literal(literal, quote, text), true);
    if (cut) {
      log_string(&log_lines, " (cut; ");
      log_unsigned(&log_lines, size, 1);
      log_string(&log_lines, " bytes)");
    }
  } else if (*literal == 'x') {
    size_t digits = (size_t)(quote - literal) - 2;
    log_string(&log_lines, "(blob) ");
    log_unsigned(&log_lines, cut ? size : digits / 2, 1);
    log_string(&log_lines, " bytes x'");
    log_bytes(&log_lines, literal + 2, digits > 64 ? 64 : digits);
    log_string(&log_lines, cut || digits > 64 ? "…'" : "'");
  } else {
    log_string(&log_lines, strpbrk(literal, ".e") ? "(double) " : "(int64) ");
    log_string(&log_lines, literal);
  }
  end_line();
}

// All values of a run as a list of literals, which can be bound again.
static void whole_values_line(const struct bound_values *values) {
  begin_line("details: ");
  log_string(&log_lines, "SQLite values = ");
  for (int i = 0; i < values->count; i++) {
    const char *literal = i < values->room && values->literals[i] ? values->literals[i] : "NULL";
    if (i > 0) log_string(&log_lines, ", ");
    log_escaped(&log_lines, literal, strlen(literal), false);
  }
  end_line();
}

static void values_lines(const struct bound_values *values) {
  if (values_are_whole && values->count > 0) return whole_values_line(values);
  for (int i = 0; i < values->count && i < values->room; i++)
    if (values->literals[i]) bind_line(i, values->literals[i]);
}

static void sql_line(const char *sql) {
  begin_line("sql: ");
  log_escaped(&log_lines, sql, strlen(sql), false);
  end_line();
}

static void run_lines(const struct statement_run_event *event) {
  if (*event->error) {
    begin_line("error: ");
    log_string(&log_lines, "statement failed: ");
    log_escaped(&log_lines, event->error, strlen(event->error), false);
    end_line();
  }
  begin_line("annotation: ");
  log_string(&log_lines, "sql connection fetch time: ");
  log_seconds(&log_lines, event->step_ns);
  end_line();
  begin_line("annotation: ");
  log_string(&log_lines, "total fetch execution time: ");
  log_seconds(&log_lines, event->open_ns);
  log_string(&log_lines, " for ");
  log_unsigned(&log_lines, event->rows, 1);
  log_string(&log_lines, " rows.");
  end_line();
}

void log_run(const struct statement_run_event *event, const char *sql,
             const struct bound_values *values, uint64_t *count) {
  if (!begin_group()) return;
  count_event(count);
  bool is_short = sink_is_mapped(), has_values = log_level >= 2 && values && values->count > 0;
  // Values belong to the statement before them.
  if (!is_short || has_values) sql_line(sql);
  if (has_values) values_lines(values);
  if (!is_short) run_lines(event);
  event_lines(EVENT_statement_run, event);
  end_group();
}

bool log_is_short(void) { return log_level > 0 && sink_is_mapped(); }
