// SPDX-License-Identifier: Apache-2.0

// A line is a helper if it runs many forms of statements, and the lines behind it, or a few levels further, differ from form to
// form. A line that serializes a page runs many forms as well, but for one line.

#define _GNU_SOURCE
#include "caller-helpers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "lifecycle.h"
#include "process.h"
#include "recording.h"

enum {
  // A line that runs fewer may be a page's; one that runs more has shown its callers.
  FEW_FORMS = 5, MANY_FORMS = 12,
  // Arbitrary: a program that runs SQL from more lines has no helpers among the rest.
  MAX_LINES = 4096,
};

struct line {
  uint64_t hash;
  // `db.py:5` of a helper, or NULL.
  const char *name;
  int count;
  uint64_t forms[MANY_FORMS];
  // By form: the lines behind it.
  struct helpers chains[MANY_FORMS];
};

static struct line *lines[MAX_LINES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool has_helpers;

static _Thread_local struct {
  const struct helpers *others;
  const char *helper;
} this_look_up;

static uint64_t hash_of_line(const char *file, uint64_t line) { return hash_bytes(file, strlen(file), line) | 1; }

// The slot of a line, which may be empty; NULL if there is no room.
static struct line **slot_of(uint64_t hash) {
  for (uint64_t i = 0; i < 8; i++) {
    struct line **slot = &lines[(hash + i) % MAX_LINES];
    struct line *line = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (!line || line->hash == hash) return slot;
  }
  return NULL;
}

static struct line *find_or_make(uint64_t hash) {
  struct line **slot = slot_of(hash);
  if (!slot || *slot) return slot ? *slot : NULL;
  struct line *line = calloc(1, sizeof *line);
  if (line) line->hash = hash;
  __atomic_store_n(slot, line, __ATOMIC_RELEASE);
  return line;
}

// MARK: - Looking up

void look_behind(const struct helpers *others) {
  this_look_up.others = others;
  this_look_up.helper = NULL;
}

const char *helper_of_look_up(void) { return this_look_up.helper ? this_look_up.helper : ""; }

static bool has_line(const struct helpers *helpers, uint64_t hash) {
  for (int i = 0; i < helpers->count; i++)
    if (helpers->lines[i] == hash) return true;
  return false;
}

bool lines_have_ranks(void) { return this_look_up.others || has_helpers; }

int rank_of_line(int rank_of_file, const char *file, uint64_t line) {
  const struct helpers *others = this_look_up.others;
  if (LIKELY(rank_of_file < RANK_PROGRAM || !lines_have_ranks())) return rank_of_file;
  uint64_t hash = hash_of_line(file, line);
  if (others && has_line(others, hash)) return RANK_HELPER;
  struct line **slot = slot_of(hash);
  struct line *known = slot ? __atomic_load_n(slot, __ATOMIC_ACQUIRE) : NULL;
  const char *name = known ? __atomic_load_n(&known->name, __ATOMIC_ACQUIRE) : NULL;
  if (!name) return rank_of_file;
  if (!this_look_up.helper) this_look_up.helper = name;
  return RANK_HELPER;
}

bool add_line(struct helpers *helpers, const struct caller_event *caller) {
  uint64_t hash = hash_of_line(caller->file, caller->line);
  if (helpers->count == MAX_HELPERS || has_line(helpers, hash)) return false;
  helpers->lines[helpers->count++] = hash;
  return true;
}

// MARK: - Counting

// A hash of SQL without its values and without the lengths of its lists.
static uint64_t form_of(const char *sql) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *sql; sql++) {
    if (*sql == '\'') {
      const char *end = strchr(sql + 1, '\'');
      if (!end) break;
      sql = end;
    } else if (!strchr(" \t\r\n,?0123456789", *sql)) {
      hash = (hash ^ (unsigned char)*sql) * 0x100000001b3u;
    }
  }
  return hash;
}

// How many lines the chains have at a level.
static int count_at(const struct line *line, int level) {
  int count = 0;
  for (int i = 0; i < line->count; i++) {
    bool is_new = line->chains[i].count > level;
    for (int j = 0; j < i && is_new; j++)
      is_new = line->chains[j].count <= level || line->chains[j].lines[level] != line->chains[i].lines[level];
    count += is_new;
  }
  return count;
}

static void make_helper(struct line *line, const char *name) {
  if (line) __atomic_store_n(&line->name, name, __ATOMIC_RELEASE);
}

// The first level at which each second form has a line of its own, or -1.
static int level_that_differs(const struct line *line) {
  for (int level = 0; level < MAX_HELPERS && line->count >= FEW_FORMS; level++)
    if (count_at(line, level) * 2 >= line->count) return level;
  return -1;
}

static bool judge(struct line *line, const struct caller_event *caller) {
  int level = level_that_differs(line);
  char *name = NULL;
  if (level < 0 || asprintf(&name, "%s:%llu", without_start_folder(caller->file), (unsigned long long)caller->line) < 0)
    return false;
  for (int i = 0; i < line->count; i++)
    for (int between = 0; between < level && between < line->chains[i].count; between++)
      make_helper(find_or_make(line->chains[i].lines[between]), name);
  make_helper(line, name);
  return has_helpers = true;
}

// The line, if it is not known yet whether it is a helper, and the form is new to it.
static struct line *line_to_judge(const struct caller_event *caller, uint64_t form) {
  struct line *line = find_or_make(hash_of_line(caller->file, caller->line));
  if (!line || line->count == MANY_FORMS || line->name) return NULL;
  for (int i = 0; i < line->count; i++)
    if (line->forms[i] == form) return NULL;
  return line;
}

bool is_new_form(const struct caller_event *caller, const struct text *text) {
  uint64_t form = form_of(text->sql);
  pthread_mutex_lock(&lock);
  bool is_new = line_to_judge(caller, form) != NULL;
  pthread_mutex_unlock(&lock);
  return is_new;
}

bool count_form(const struct caller_event *caller, const struct text *text, const struct helpers *chain) {
  bool is_helper = false;
  uint64_t form = form_of(text->sql);
  pthread_mutex_lock(&lock);
  struct line *line = line_to_judge(caller, form);
  if (line) {
    line->forms[line->count] = form;
    line->chains[line->count++] = *chain;
    is_helper = judge(line, caller);
  }
  pthread_mutex_unlock(&lock);
  return is_helper;
}

// The thread that forked may not be the one that held the lock.
static void after_fork(void) { pthread_mutex_init(&lock, NULL); }

LIFECYCLE(.after_fork = after_fork)
