// SPDX-License-Identifier: Apache-2.0

// Where the values of a run come from: the row of an earlier run that returned them.
//
//     SELECT id, author FROM book              rows 1 to 32 of list 7
//     SELECT name FROM author WHERE id = ?     list 7, row 1 · list 7, row 2 · …
//
// Values are compared by their hashes, which do not leave the process. A list is a run that returned two rows
// or more. Values that a run itself has, such as that of `WHERE author = ?`, are not of its rows; values that did
// not change since the last run of the same form are looked for in the next rows of its list alone.

#include "origins.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "expanded.h"
#include "hash.h"
#include "lifecycle.h"

enum {
  // Powers of two that are arbitrary: the lists that loops are over at the same time, their values, and the forms of
  // statements in loops.
  KEPT_LISTS = 64, ENTRIES = 8192, FORMS = 1024,
  // The requests that take turns on a thread, such as tasks on one connection: each has its own list of a statement.
  TURNS = 16,
  // The first rows of a list, one after the other, that show a loop over it while there are newer ones.
  ROWS_OF_LOOP = 3,
  // Longer texts and blobs are no keys.
  LONGEST_KEY = 64,
  // Runs in a row.
  ENOUGH_SINGLE_ROWS = 8,
  // Longer SQL has its values as parameters.
  LONGEST_SQL = 4096, KEPT_LITERALS = 8,
};

struct list {
  uint64_t id;
  const struct text *text;
  // It is of the task of its thread, which ends when that receives another message.
  const struct thread *thread;
  uint64_t received;
  uint64_t last_use;
  // The one before it of the same statement on its thread, and whether there is one behind it.
  struct list *older;
  uint64_t older_id;
  bool is_superseded;
  unsigned rows, columns;
  uint64_t hashes[KEPT_ROWS][KEPT_COLUMNS];
};

struct entry {
  uint64_t hash, list_id;
  struct list *list;
};

// Where a loop is in its list.
struct cursor {
  struct list *list;
  uint64_t list_id;
  // The row of the last run; the columns that had its values, and the columns that had any before.
  unsigned row, columns, columns_so_far;
  // The rows from the first that runs had one after the other, whatever other rows they had.
  unsigned walked;
  // Whether a run had a later row than the one before.
  bool goes_up;
};

// The statements of a thread that differ only in their values.
struct form {
  uint64_t key;
  uint64_t values[HASHED_PARAMETERS];
  // The one that was used last comes first.
  struct cursor cursors[TURNS];
  // A list with kept rows that it has passed: later rows do not come from an earlier row or an older list.
  uint64_t passed;
};

struct literals {
  uint64_t form;
  unsigned count;
  uint64_t values[KEPT_LITERALS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct list lists[KEPT_LISTS];
static struct entry entries[ENTRIES];
static struct form forms[FORMS];
static uint64_t uses;
uint64_t last_list;

static struct entry *entry_of(uint64_t hash) {
  return &entries[(hash * 0x9e3779b97f4a7c15u >> 32) % ENTRIES];
}

// MARK: - Rows

static uint64_t hash_of(const struct sqlite_api *api, sqlite3_value *value) {
  int type = api->value_type(value);
  if (type == SQLITE_INTEGER) return hash_of_integer(api->value_int64(value));
  if (type == SQLITE_FLOAT) {
    double number = api->value_double(value);
    return hash_value(&number, sizeof number, HASH_DOUBLE);
  }
  if (type != SQLITE_TEXT && type != SQLITE_BLOB) return 0;
  // The length first: a blob of zeroes is not expanded.
  int length = api->value_bytes(value);
  if (length <= 0 || length > LONGEST_KEY) return 0;
  const void *bytes = bytes_of_value(api, value);
  return type == SQLITE_TEXT ? hash_of_text(bytes, (size_t)length) : hash_value(bytes, (size_t)length, HASH_BLOB);
}

static bool is_own_value(const struct statement *statement, uint64_t hash) {
  for (int i = 0; i < HASHED_PARAMETERS; i++)
    if (statement->hashes[i].value == hash) return true;
  return false;
}

static unsigned hash_row(const struct statement *statement, uint64_t hashes[KEPT_COLUMNS]) {
  const struct sqlite_api *api = &statement->connection->copy->api;
  int count = api->data_count(statement->stmt);
  if (count > KEPT_COLUMNS) count = KEPT_COLUMNS;
  for (int i = 0; i < count; i++) {
    uint64_t hash = hash_of(api, api->column_value(statement->stmt, i));
    hashes[i] = hash && is_own_value(statement, hash) ? 0 : hash;
  }
  return count > 0 ? (unsigned)count : 0;
}

// The slot of the list that was not used for the longest time: one of the same statement, if there are several.
static struct list *new_list(const struct statement *statement, unsigned columns) {
  struct list *oldest = &lists[0], *oldest_of_text = NULL, *newest = NULL;
  unsigned of_text = 0;
  for (struct list *list = lists; list < lists + KEPT_LISTS; list++) {
    if (list->last_use < oldest->last_use) oldest = list;
    if (list->text != statement->text || list->thread != &this_thread) continue;
    if (!list->is_superseded) newest = list;
    list->is_superseded = true;
    of_text++;
    if (!oldest_of_text || list->last_use < oldest_of_text->last_use) oldest_of_text = list;
  }
  if (of_text >= TURNS) oldest = oldest_of_text;
  oldest->older = newest != oldest ? newest : NULL;
  oldest->older_id = newest ? newest->id : 0;
  oldest->id = __atomic_add_fetch(&last_list, 1, __ATOMIC_RELAXED);
  oldest->text = statement->text;
  oldest->thread = &this_thread;
  oldest->received = this_thread.received;
  oldest->last_use = ++uses;
  oldest->is_superseded = false;
  oldest->rows = 0;
  oldest->columns = columns;
  return oldest;
}

static void add_row(struct list *list, const uint64_t hashes[KEPT_COLUMNS]) {
  if (list->rows == KEPT_ROWS) return;
  memcpy(list->hashes[list->rows++], hashes, list->columns * sizeof *hashes);
  for (unsigned i = 0; i < list->columns; i++)
    if (hashes[i]) *entry_of(hashes[i]) = (struct entry){hashes[i], list->id, list};
}

void row_returned(struct statement *statement) {
  struct text *text = statement->text;
  if (statement->rows == 1) {
    // Of a statement that returns one row again and again, the first one of a list is missed.
    if (LIKELY(text->single_rows >= ENOUGH_SINGLE_ROWS)) return;
    text->single_rows++;
    hash_row(statement, statement->first_row);
    return;
  }
  uint64_t hashes[KEPT_COLUMNS];
  unsigned columns = hash_row(statement, hashes);
  pthread_mutex_lock(&lock);
  if (statement->rows == 2) {
    statement->list = new_list(statement, columns);
    statement->list_id = statement->list->id;
    if (text->single_rows == ENOUGH_SINGLE_ROWS) memset(statement->first_row, 0, sizeof statement->first_row);
    text->single_rows = 0;
    add_row(statement->list, statement->first_row);
  }
  if (statement->list_id != 0 && statement->list->id == statement->list_id) add_row(statement->list, hashes);
  pthread_mutex_unlock(&lock);
}

// MARK: - Literals

// The number that a token is; a literal with a point or an exponent is no key.
static uint64_t hash_of_literal(const char *at, const char *end) {
  if (*at == '\'') {
    size_t length = (size_t)(end - at - 2);
    return end - at < 3 || length > LONGEST_KEY || memchr(at + 1, '\'', length)
               ? 0 : hash_of_text(at + 1, length);
  }
  int64_t number = 0;
  if (end - at > 18) return 0;
  for (; at < end; at++) {
    if (!isdigit((unsigned char)*at)) return 0;
    number = number * 10 + (*at - '0');
  }
  return hash_of_integer(number);
}

static void read_literals(struct literals *literals, const char *sql) {
  const char *end;
  for (const char *at = sql; *at; at = end) {
    end = end_of_token(at);
    if (*at == '\'' || isdigit((unsigned char)*at)) {
      if (literals->count < KEPT_LITERALS) literals->values[literals->count++] = hash_of_literal(at, end);
    } else if (!isspace((unsigned char)*at)) {
      literals->form = literals->form * 31 + hash_value(at, (size_t)(end - at), HASH_TEXT);
    }
  }
}

static const struct literals *literals_of(struct text *text) {
  struct literals *known = __atomic_load_n(&text->literals, __ATOMIC_ACQUIRE);
  if (known) return known;
  struct literals *read = calloc(1, sizeof *read);
  if (!read) return NULL;
  if (text->length <= LONGEST_SQL && text->write <= WRITES_ROWS) read_literals(read, command_of(text));
  // Another thread may have been faster.
  if (__atomic_compare_exchange_n(&text->literals, &known, read, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return read;
  free(read);
  return known;
}

// The values of a statement without hooked calls are in the SQL that SQLite expands.
static bool expand(struct statement *statement, struct literals *literals) {
  const struct sqlite_api *api = &statement->connection->copy->api;
  if (!statement->is_traced_run || api->bind_parameter_count(statement->stmt) == 0) return false;
  char *expanded = api->expanded_sql(statement->stmt);
  if (expanded && strlen(expanded) <= LONGEST_SQL) read_literals(literals, expanded);
  api->free(expanded);
  return true;
}

// MARK: - Origins

static struct form *form_of(uint64_t key) {
  key ^= (uint64_t)(uintptr_t)&this_thread * 0x9e3779b97f4a7c15u;
  struct form *form = &forms[(key >> 32) % FORMS];
  if (form->key != key) *form = (struct form){.key = key};
  return form;
}

static bool is_current(const struct list *list, uint64_t id) {
  return list && id != 0 && list->id == id && (list->thread != &this_thread || list->received == this_thread.received);
}

// Columns of a row, counted from 1, that have one of the values; and how many values there are.
static unsigned columns_with(const struct list *list, unsigned row, const uint64_t *values, unsigned count,
                             unsigned *matches) {
  unsigned columns = 0;
  *matches = 0;
  for (unsigned i = 0; i < count; i++) {
    unsigned before = columns;
    for (unsigned column = 0; column < list->columns; column++)
      if (list->hashes[row - 1][column] == values[i]) columns |= 1u << column;
    if (columns != before) ++*matches;
  }
  return columns;
}

// How many rows equal a row in the first of some columns.
static unsigned rows_like(const struct list *list, unsigned row, unsigned columns) {
  unsigned column = (unsigned)__builtin_ctz(columns), count = 0;
  for (unsigned i = 0; i < list->rows; i++)
    if (list->hashes[i][column] == list->hashes[row - 1][column]) count++;
  return count;
}

struct match {
  unsigned row, columns, values;
  bool is_certain;
};

static bool matches(const struct list *list, unsigned row, unsigned permitted, const uint64_t *values, unsigned count,
                    struct match *match) {
  if (row < 1 || row > list->rows) return false;
  match->row = row;
  match->columns = columns_with(list, row, values, count, &match->values) & permitted;
  return match->columns != 0;
}

// By coincidence, a value that many rows have would be met soon.
static bool is_certain(const struct list *list, unsigned row, unsigned last, unsigned columns) {
  return (row - last) * rows_like(list, row, columns) * 2 <= list->rows;
}

static bool has_passed(const struct list *list, unsigned row) {
  return list->rows == KEPT_ROWS && row > KEPT_ROWS / 2;
}

// The nearest row of a list: behind or before the row of the last run, or the same one for another of its columns. A
// more distant row is certain if few rows have the same value. `cursor` is NULL for the first run.
static bool find_row(const struct list *list, const struct cursor *cursor, const uint64_t *values, unsigned count,
                     struct match *match) {
  unsigned last = cursor ? cursor->row : 0;
  match->is_certain = true;
  if (matches(list, last + 1, ~0u, values, count, match)) return true;
  if (cursor && matches(list, last, ~cursor->columns, values, count, match)) return true;
  if (cursor && !cursor->goes_up && matches(list, last - 1, ~0u, values, count, match)) return true;
  for (unsigned row = last + 2; row <= list->rows; row++) {
    if (!matches(list, row, cursor ? cursor->columns_so_far : ~0u, values, count, match)) continue;
    match->is_certain = is_certain(list, row, last, match->columns);
    return true;
  }
  // Behind its kept rows a list may begin again, if no other row has the first one's value.
  if (has_passed(list, last))
    return matches(list, 1, cursor->columns, values, count, match) && rows_like(list, 1, match->columns) == 1;
  for (unsigned row = 1; row <= last; row++)
    if (matches(list, row, ~0u, values, count, match)) return true;
  return false;
}

static struct cursor *cursor_of(struct form *form, const struct list *list) {
  for (struct cursor *cursor = form->cursors; cursor < form->cursors + TURNS; cursor++)
    if (cursor->list == list && cursor->list_id == list->id) return cursor;
  return NULL;
}

// The cursor of a list, before all others; that which was not used for the longest time is replaced.
static struct cursor *use_cursor(struct form *form, struct list *list) {
  const struct cursor *known = cursor_of(form, list);
  struct cursor cursor = known ? *known : (struct cursor){.list = list, .list_id = list->id};
  size_t before = known ? (size_t)(known - form->cursors) : TURNS - 1;
  memmove(form->cursors + 1, form->cursors, before * sizeof cursor);
  form->cursors[0] = cursor;
  return form->cursors;
}

// Whether a loop has begun at a list's first row and has rows left.
static bool is_loop(const struct cursor *cursor) {
  return cursor->walked >= ROWS_OF_LOOP && is_current(cursor->list, cursor->list_id) &&
         cursor->walked < cursor->list->rows;
}

static bool has_other_loop(const struct form *form, const struct list *list) {
  for (const struct cursor *cursor = form->cursors; cursor < form->cursors + TURNS && cursor->list; cursor++)
    if (cursor->list != list && cursor->list->text == list->text && is_loop(cursor)) return true;
  return false;
}

// Whether the values are of the row that a loop over a list has next.
static bool is_next(const struct list *list, const struct cursor *cursor, const uint64_t *values, unsigned count,
                    struct match *match) {
  match->is_certain = true;
  bool has_begun = cursor && cursor->walked > 0;
  return matches(list, has_begun ? cursor->walked + 1 : 1, has_begun ? cursor->columns_so_far : ~0u, values, count, match);
}

// A row that is further away, of a list whose loop takes turns with others.
static bool find_later_row(const struct list *list, const struct cursor *cursor, const uint64_t *values, unsigned count,
                           struct match *match) {
  if (is_next(list, cursor, values, count, match)) return true;
  unsigned last = cursor ? cursor->walked : 0;
  for (unsigned row = last + 1; last > 0 && row <= list->rows; row++)
    if (matches(list, row, cursor->columns_so_far, values, count, match))
      return is_certain(list, row, last, match->columns);
  return false;
}

// The list whose next row has the values, of those that loops are in, from a cursor on; or NULL.
static struct list *list_of_loop(const struct form *form, unsigned from, const uint64_t *values, unsigned count,
                                 struct match *match) {
  for (const struct cursor *cursor = form->cursors + from; cursor < form->cursors + TURNS && cursor->list; cursor++)
    if (is_loop(cursor) && is_next(cursor->list, cursor, values, count, match)) return cursor->list;
  return NULL;
}

static bool has_row(const struct list *list, unsigned permitted, const uint64_t *values, unsigned count) {
  struct match match;
  for (unsigned row = 1; row <= list->rows; row++)
    if (matches(list, row, permitted, values, count, &match)) return true;
  return false;
}

// An older list whose next row has the values where no row of the newest has them, or NULL. If both have them, the older
// one's loop has begun when more of its rows followed.
static struct list *list_before(struct form *form, struct list *newest, const uint64_t *values, unsigned count,
                                struct match *match) {
  struct list *list = newest;
  for (int i = 1; i < TURNS && is_current(list->older, list->older_id); i++) {
    list = list->older;
    if (!is_next(list, cursor_of(form, list), values, count, match)) continue;
    if (!has_row(newest, match->columns, values, count)) return list;
    struct cursor *cursor = use_cursor(form, list);
    cursor->walked++;
    cursor->columns_so_far |= match->columns;
  }
  return NULL;
}

static struct list *list_at(struct form *form, struct list *list, const uint64_t *values, unsigned count,
                            struct match *match) {
  struct list *older = list->is_superseded ? NULL : list_before(form, list, values, count, match);
  if (older) return older;
  const struct cursor *cursor = cursor_of(form, list);
  // Values of another loop may have led it astray.
  if (is_current(list->older, list->older_id) && is_next(list, cursor, values, count, match)) return list;
  bool takes_turns = list->is_superseded || (cursor && cursor->walked > 0 && has_other_loop(form, list));
  bool is_found = takes_turns ? find_later_row(list, cursor, values, count, match)
                              : find_row(list, cursor && cursor->row > 0 ? cursor : NULL, values, count, match);
  return is_found ? list : NULL;
}

static struct cursor *newest_cursor(struct form *form) {
  for (struct cursor *cursor = form->cursors; cursor < form->cursors + TURNS; cursor++)
    if (is_current(cursor->list, cursor->list_id) && !cursor->list->is_superseded) return cursor;
  return NULL;
}

static struct list *list_of(struct form *form, const uint64_t *values, unsigned count, struct match *match) {
  struct list *list = list_of_loop(form, 0, values, count, match);
  if (list) return list;
  const struct cursor *last = newest_cursor(form);
  if (last) {
    // list_at() reorders the cursors.
    const struct cursor cursor = *last;
    list = list_at(form, cursor.list, values, count, match);
    if (list) return list;
    if (has_passed(cursor.list, cursor.row)) form->passed = cursor.list_id;
  }
  struct list *newest = NULL;
  for (unsigned i = 0; i < count; i++) {
    const struct entry *entry = entry_of(values[i]);
    if (entry->hash == values[i] && is_current(entry->list, entry->list_id) && (!newest || entry->list_id > newest->id))
      newest = entry->list;
  }
  if (!newest) return NULL;
  // Several threads may have read the same rows.
  list = newest;
  for (struct list *other = lists; list->thread != &this_thread && other < lists + KEPT_LISTS; other++)
    if (other->text == newest->text && other->thread == &this_thread && !other->is_superseded &&
        is_current(other, other->id))
      list = other;
  last = cursor_of(form, list);
  return list->id > form->passed || (last && is_loop(last)) ? list_at(form, list, values, count, match) : NULL;
}

// The next row that has the values of the last one: a list may be sorted by them, or another loop has them as well.
static struct list *list_of_same(const struct form *form, struct match *match) {
  const struct cursor *cursor = &form->cursors[0];
  const struct list *list = cursor->list;
  if (!is_current(list, cursor->list_id)) return NULL;
  uint64_t values[HASHED_PARAMETERS];
  unsigned count = 0;
  for (unsigned i = 0; i < HASHED_PARAMETERS; i++)
    if (form->values[i]) values[count++] = form->values[i];
  for (unsigned row = cursor->row + 1; !list->is_superseded && row <= list->rows; row++) {
    if (!matches(list, row, cursor->columns, values, count, match)) continue;
    match->is_certain = is_certain(list, row, cursor->row, match->columns);
    return match->is_certain ? cursor->list : NULL;
  }
  return list_of_loop(form, 1, values, count, match);
}

// Keeps the values for the next run; returns the new ones.
static unsigned take_changed(struct form *form, const struct bound_hash *hashes, uint64_t *changed) {
  unsigned found = 0;
  for (unsigned i = 0; i < HASHED_PARAMETERS; i++) {
    uint64_t value = hashes[i].value;
    if (value != 0 && value != HASH_NULL && value != form->values[i]) changed[found++] = value;
    form->values[i] = value;
  }
  return found;
}

static struct origin origin_of(struct form *form, const struct bound_hash *hashes) {
  uint64_t changed[HASHED_PARAMETERS];
  struct match match;
  unsigned found = take_changed(form, hashes, changed);
  struct list *list = found > 0 ? list_of(form, changed, found, &match) : list_of_same(form, &match);
  if (!list) return (struct origin){0};
  struct cursor *cursor = use_cursor(form, list);
  cursor->goes_up = cursor->row > 0 && (cursor->goes_up || match.row > cursor->row);
  if (match.row == cursor->walked + 1 || (match.row > cursor->walked && is_loop(cursor))) cursor->walked = match.row;
  cursor->columns_so_far |= match.columns;
  cursor->columns = match.columns | (match.row == cursor->row ? cursor->columns : 0);
  cursor->row = match.row;
  list->last_use = ++uses;
  return (struct origin){list->id, match.is_certain ? match.row : 0, found > 0 ? found - match.values : 0};
}

void find_origin(struct statement *statement) {
  struct text *text = statement->text;
  uint64_t key = text->lookup_hash;
  if (statement->bound_count == 0) {
    struct literals expanded = {0};
    const struct literals *literals = expand(statement, &expanded) ? &expanded : literals_of(text);
    if (!literals || literals->count == 0) {
      statement->origin = (struct origin){0};
      return;
    }
    memset(statement->hashes, 0, sizeof statement->hashes);
    for (unsigned i = 0; i < literals->count; i++) statement->hashes[i].value = literals->values[i];
    key = literals->form;
  }
  pthread_mutex_lock(&lock);
  statement->origin = origin_of(form_of(key), statement->hashes);
  pthread_mutex_unlock(&lock);
}

// The thread that forked may not be the one that held the lock.
static void after_fork(void) { pthread_mutex_init(&lock, NULL); }

LIFECYCLE(.after_fork = after_fork)
