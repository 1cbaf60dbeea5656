// SPDX-License-Identifier: Apache-2.0

// The SQL texts of the process: each is hashed and announced once, and again at intervals.

#define _GNU_SOURCE
#include "texts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "comments.h"
#include "hash.h"
#include "lifecycle.h"
#include "log-text.h"
#include "process.h"
#include "recording.h"

enum {
  // 65,536 is arbitrary: a program that writes values into its SQL would fill the memory.
  MAX_TEXTS = 65536,
  BUCKETS = 16384,
  // Longer SQL is cut: LTTng drops events that do not fit into a part of its buffer.
  MAX_SQL = 32768,
  USES_BETWEEN_ANNOUNCEMENTS = 1000,
};
static const int64_t time_between_announcements = 1000000000;

static struct text *buckets[BUCKETS];
static unsigned count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// FNV-1a: the id of the same text in the store.
static uint64_t statement_id_of(const char *sql, size_t length) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)sql[i]) * 0x100000001b3u;
  return hash;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The first word, after the space, the empty statements and the comments at the start, such as sqlc's `-- name: Add
// :exec`. A byte order mark is space for SQLite.
static const char *first_word(const char *sql) {
  for (;;) {
    const char *end = NULL;
    while (is_space(*sql) || *sql == ';') sql++;
    if (strncmp(sql, "\xEF\xBB\xBF", 3) == 0) end = sql + 2;
    if (sql[0] == '-' && sql[1] == '-') end = strchr(sql, '\n');
    if (sql[0] == '/' && sql[1] == '*' && (end = strstr(sql + 2, "*/"))) end++;
    if (!end) return sql;
    sql = end + 1;
  }
}

static bool begins_with(const char *sql, const char *word) {
  for (; *word; sql++, word++)
    if ((*sql | 0x20) != *word) return false;
  return !((*sql | 0x20) >= 'a' && (*sql | 0x20) <= 'z') && *sql != '_';
}

// PRAGMA user_version = 3: a number in the file's head. Without a value it is read only for SQLite.
static bool sets_number(const char *sql) {
  return begins_with(sql, "pragma") && (strcasestr(sql, "user_version") ||
                                        strcasestr(sql, "application_id") ||
                                        strcasestr(sql, "schema_version"));
}

static enum write write_of(const char *sql) {
  static const struct { const char *word; enum write write; } words[] = {
      {"insert", WRITES_ROWS}, {"update", WRITES_ROWS}, {"delete", WRITES_ROWS},
      {"replace", WRITES_ROWS}, {"with", WRITES_ROWS}, {"create", WRITES_SCHEMA},
      {"drop", WRITES_SCHEMA}, {"alter", WRITES_OTHERS}, {"reindex", WRITES_OTHERS},
      {"analyze", WRITES_OTHERS}, {"vacuum", WRITES_OTHERS}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (begins_with(sql, words[i].word)) return words[i].write;
  return sets_number(sql) ? WRITES_OTHERS : WRITES_NOTHING;
}

static bool is_checkpoint(const char *sql) {
  return begins_with(sql, "pragma") && strcasestr(sql, "wal_checkpoint");
}

static struct text *make_text(const char *sql, size_t length, uint64_t hash) {
  struct text *text = malloc(sizeof *text + length + 1);
  if (!text) return NULL;
  memset(text, 0, sizeof *text);
  text->lookup_hash = hash;
  text->length = length;
  memcpy(text->sql, sql, length);
  text->sql[length] = 0;
  text->statement_id = statement_id_of(sql, length);
  text->first_word = (size_t)(first_word(text->sql) - text->sql);
  text->write = write_of(command_of(text));
  text->is_checkpoint = is_checkpoint(command_of(text));
  return text;
}

static struct text *find_or_make(const char *sql, size_t length) {
  uint64_t hash = hash_bytes(sql, length, 0);
  pthread_mutex_lock(&lock);
  struct text **bucket = &buckets[hash % BUCKETS];
  struct text *text = *bucket;
  while (text && (text->lookup_hash != hash || text->length != length ||
                  memcmp(text->sql, sql, length) != 0))
    text = text->next;
  if (!text && (text = make_text(sql, length, hash)) && count < MAX_TEXTS) {
    text->is_shared = true;
    text->next = *bucket;
    *bucket = text;
    count++;
  }
  pthread_mutex_unlock(&lock);
  return text;
}

// Whether bytes are printable ASCII, spaces and line ends: such SQL needs no second look.
static bool is_plain(const char *sql, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((signed char)sql[i] <= 0) return false;
  return true;
}

// The text without the space around it and without comments that name a caller, in valid UTF-8,
// and cut where it is too long.
struct text *text_of_sql(const char *sql) {
  if (!sql) sql = "";
  while (is_space(*sql)) sql++;
  size_t length = strlen(sql);
  // A comment in front may be longer than all that is kept.
  if (length > MAX_SQL) length = strlen(sql = first_word(sql));
  while (length > 0 && is_space(sql[length - 1])) length--;
  bool is_cut = length > MAX_SQL;
  if (is_cut) length = MAX_SQL;
  if (!is_cut && is_plain(sql, length) && !memchr(sql, '/', length))
    return find_or_make(sql, length);

  char *copy = malloc(length * 4 + 64);
  if (!copy) return NULL;
  size_t copied = sql_without_tags(sql, length, copy + length * 3);
  if (copied > 0) {
    copied = copy_valid_utf8(copy, copy + length * 3, copied);
  } else {
    copied = copy_valid_utf8(copy, sql, length);
  }
  if (is_cut) {
    memcpy(copy + copied, " /* cut */", 10);
    copied += 10;
  }
  struct text *text = find_or_make(copy, copied);
  free(copy);
  return text;
}

void release_text(struct text *text) {
  if (!text || text->is_shared) return;
  free(text->literals);
  free(text);
}

// Counts one use of a text; races between threads announce it twice at worst.
static bool is_announcement_due(struct text *text) {
  if (LIKELY(is_received) && text->generation == generation &&
      ++text->uses < USES_BETWEEN_ANNOUNCEMENTS &&
      clock_coarse() - text->announced_ns < time_between_announcements)
    return false;
  text->generation = generation;
  text->uses = 1;
  text->announced_ns = clock_coarse();
  return true;
}

void announce_text(uint64_t connection_id, struct text *text) {
  if (is_announcement_due(text)) emit_statement(connection_id, text->statement_id, text->sql);
}

// The thread that forked may not be the one that held the lock.
static void after_fork(void) { pthread_mutex_init(&lock, NULL); }

LIFECYCLE(.after_fork = after_fork)
