// SPDX-License-Identifier: Apache-2.0

// The line of the program that runs a statement. Each location is announced once and has a number.

#include "callers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "caller-files.h"
#include "caller-helpers.h"
#include "caller-native.h"
#include "caller-node.h"
#include "caller-perl.h"
#include "caller-php.h"
#include "caller-python.h"
#include "caller-ruby.h"
#include "comments.h"
#include "guard.h"
#include "hash.h"
#include "lifecycle.h"
#include "process.h"
#include "recording.h"
#include "settings.h"
#include "test-name.h"

enum {
  // A native caller is looked up for the first runs of a statement, and then for one of 16 runs on average.
  FIRST_RUNS = 16, RUNS_BETWEEN = 16,
  // 65,536 is arbitrary: a program with more locations gets no numbers for the rest.
  MAX_LOCATIONS = 65536, BUCKETS = 4096,
  USES_BETWEEN_ANNOUNCEMENTS = 1000,
};
static const int64_t time_between_announcements = 1000000000;

struct location {
  struct location *next;
  uint64_t hash;
  uint64_t id;
  unsigned generation;
  unsigned uses;
  int64_t announced_ns;
};

static struct location *buckets[BUCKETS];
static uint64_t last_id;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum caller_mode caller_mode;

static void start(void) {
  find_start_folder();
  caller_files_start();
  const char *value = setting("STORE_CALLERS");
  if (!value) return;
  if (strcmp(value, "all") == 0) caller_mode = CALLERS_ALL;
  if (strcmp(value, "none") == 0) caller_mode = CALLERS_NONE;
}

static struct location *find_or_make(uint64_t hash) {
  struct location **bucket = &buckets[hash % BUCKETS];
  struct location *location = *bucket;
  while (location && location->hash != hash) location = location->next;
  if (location || last_id >= MAX_LOCATIONS) return location;
  location = calloc(1, sizeof *location);
  if (!location) return NULL;
  location->hash = hash;
  location->id = ++last_id;
  location->generation = generation - 1;
  location->next = *bucket;
  *bucket = location;
  return location;
}

static bool is_due(struct location *location) {
  int64_t now = clock_coarse();
  if (location->generation == generation && ++location->uses < USES_BETWEEN_ANNOUNCEMENTS &&
      now - location->announced_ns < time_between_announcements)
    return false;
  location->uses = 1;
  location->announced_ns = now;
  return true;
}

// The use of a location. Its text must be announced before its number is used: until a thread has done so, each does.
struct use {
  struct location *location;
  uint64_t id;
  unsigned generation;
  bool is_announcement_due;
};

static struct use use_location(uint64_t hash) {
  pthread_mutex_lock(&lock);
  struct location *location = find_or_make(hash);
  struct use use = {location, location ? location->id : 0, generation, location && is_due(location)};
  pthread_mutex_unlock(&lock);
  return use;
}

// `event` is NULL for a location without frames of the program.
static void announce(const struct use *use, const struct caller_event *event) {
  if (event) emit(EVENT_caller, event);
  pthread_mutex_lock(&lock);
  use->location->generation = use->generation;
  pthread_mutex_unlock(&lock);
}

static uint64_t hash_string(const char *text, uint64_t seed) {
  return text ? hash_bytes(text, strlen(text), seed) : seed;
}

static uint64_t announce_caller(const struct caller_event *caller) {
  uint64_t hash = hash_string(caller->file, caller->line + 11);
  hash = hash_string(caller->function, hash);
  hash = hash_string(caller->frames, hash);
  struct use use = use_location(hash);
  if (use.is_announcement_due) {
    struct caller_event event = *caller;
    event.caller_id = use.id;
    event.file = without_start_folder(event.file);
    announce(&use, &event);
  }
  return use.id;
}

// Between two look-ups are 8 to 23 runs: a program that repeats the same runs must not be sampled at the same one.
static unsigned runs_until_lookup(struct text *text) {
  text->random = text->random * 1664525u + 1013904223u;
  return RUNS_BETWEEN / 2 + (text->random >> 16) % RUNS_BETWEEN;
}

// Whether a caller that is expensive to look up is looked up: as long as one location on one thread runs the
// statement, a sample suffices.
static bool is_sampled(struct text *text, bool has_lines) {
  if (caller_mode == CALLERS_ALL || text->has_several_callers) return true;
  int32_t thread = thread_id();
  if (UNLIKELY(text->caller_thread != thread)) {
    text->has_several_callers = text->caller_thread != 0 && has_lines;
    text->caller_thread = thread;
    return true;
  }
  if (text->caller_lookups < FIRST_RUNS) {
    text->caller_lookups++;
    return true;
  }
  if (text->runs_until_lookup > 0) {
    text->runs_until_lookup--;
    return false;
  }
  text->runs_until_lookup = runs_until_lookup(text);
  return true;
}

static void saw_caller(struct text *text, uint64_t id, bool has_lines) {
  if (text->first_caller == 0) text->first_caller = id;
  if (text->first_caller != id && has_lines) text->has_several_callers = true;
}

struct look_up {
  // Of a run that begins, otherwise NULL.
  struct text *text;
  const char *sql;
  bool may_lock;
  // Whether a line of JavaScript is looked up: V8 does not permit it while it collects garbage.
  bool has_isolate;
  uint64_t id;
};

enum { MAX_FRAMES = 64 };

// A native location is known by its addresses; their text is made when it is due alone.
static uint64_t native_location(char *buffer, size_t size) {
  void *addresses[MAX_FRAMES];
  int count = native_frames(addresses, MAX_FRAMES);
  if (count <= 0) return 0;
  struct use use = use_location(hash_bytes(addresses, (size_t)count * sizeof *addresses, 13));
  struct caller_event event = {.caller_id = use.id, .file = "", .function = "", .frames = ""};
  if (use.is_announcement_due)
    announce(&use, describe_frames(addresses, count, &event, buffer, size) ? &event : NULL);
  return use.id;
}

// The locations that cost little to look up: in a comment, or read directly from an interpreter.
static bool cheap_caller(const struct look_up *request, struct caller_event *caller, char *buffer, size_t size) {
  const char *sql = request->sql;
  return (strchr(sql, '/') && comment_caller(sql, caller, buffer, size)) ||
         python_caller(caller, buffer, size, request->may_lock) || php_caller(caller, buffer, size) || ruby_caller(caller, request->may_lock && !request->text) ||
         perl_caller(caller, buffer, size);
}

// The locations that cost more.
static bool expensive_caller(const struct look_up *request, struct caller_event *caller, char *buffer, size_t size) {
  return (request->has_isolate && node_caller(caller, buffer, size)) || python_caller_without_lock(caller, buffer, size);
}

typedef bool (*finder)(const struct look_up *, struct caller_event *, char *, size_t);

static bool find_behind(const struct helpers *helpers, finder find, const struct look_up *request,
                        struct caller_event *caller, char *buffer, size_t size) {
  *caller = (struct caller_event){.language = "", .file = "", .function = "", .frames = ""};
  look_behind(helpers);
  if (!find(request, caller, buffer, size)) return false;
  caller->frames = helper_of_look_up();
  return true;
}

// Whether a line that runs a text for the first time is a helper from now, or the lines behind it are.
static bool shows_helpers(finder find, const struct look_up *request, const struct caller_event *caller) {
  char buffer[2048];
  struct helpers behind = {.count = 0}, chain = {.count = 0};
  struct caller_event outer;
  if (!is_new_form(caller, request->text)) return false;
  add_line(&behind, caller);
  while (find_behind(&behind, find, request, &outer, buffer, sizeof buffer) && add_line(&behind, &outer))
    add_line(&chain, &outer);
  look_behind(NULL);
  return count_form(caller, request->text, &chain);
}

// Finds the program's line, if there is one. The lines of tests stay as they are: which one
// comes first depends on the order of the tests.
static bool find_line(finder find, struct look_up *request, char *buffer, size_t size) {
  struct caller_event caller;
  struct text *text = request->text;
  if (!find_behind(NULL, find, request, &caller, buffer, size)) return false;
  request->id = announce_caller(&caller);
  if (!text || text->counted_at == request->id || has_named_tests()) return true;
  text->counted_at = request->id;
  if (shows_helpers(find, request, &caller) && find_behind(NULL, find, request, &caller, buffer, size))
    request->id = announce_caller(&caller);
  return true;
}

static void find_expensive(struct look_up *request, char *buffer, size_t size) {
  if (find_line(expensive_caller, request, buffer, size)) return;
  // Native frames of Node are no line, and the runs behind this one would count for them.
  if (request->has_isolate || !runs_javascript()) request->id = native_location(buffer, size);
}

// Looks up the caller; if `text` is not NULL, an expensive one for a sample of its runs alone.
static void look_up(struct look_up *request) {
  char buffer[8192];
  struct text *text = request->text;
  int error = errno;
  bool is_found = find_line(cheap_caller, request, buffer, sizeof buffer);
  if (!is_found && !text) {
    find_expensive(request, buffer, sizeof buffer);
  } else if (!is_found) {
    // The frames of an interpreter that the probe cannot read differ, and have no line.
    bool has_lines = !program_is_interpreter() || python_can_be_dumped() || node_has_lines();
    if (is_sampled(text, has_lines)) {
      find_expensive(request, buffer, sizeof buffer);
      saw_caller(text, request->id, has_lines);
    }
  }
  errno = error;
}

static uint64_t guarded_look_up(struct look_up request) {
  if (caller_mode == CALLERS_NONE) return 0;
  GUARDED(look_up, WORD(&request));
  return request.id;
}

uint64_t caller_now(const char *sql, bool may_lock, bool is_in_call) {
  return guarded_look_up((struct look_up){NULL, sql, may_lock, is_in_call, 0});
}

uint64_t caller_of_call(bool may_lock) { return guarded_look_up((struct look_up){NULL, "", may_lock, true, 0}); }

uint64_t caller_of_run(struct statement *statement, const char *sql, bool may_lock) {
  return guarded_look_up((struct look_up){statement->text, sql, may_lock, true, 0});
}

// The thread that forked may not be the one that held the lock.
static void after_fork(void) { pthread_mutex_init(&lock, NULL); }

LIFECYCLE(.after_fork = after_fork, .start = start)
