// SPDX-License-Identifier: Apache-2.0

// The line of PHP that runs a statement, by the functions that PHP exports for its extensions.

#define _GNU_SOURCE
#include "caller-php.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "caller-helpers.h"
#include "macros.h"

// A value, and the start of a text, as they are since PHP 7.0.
struct zval {
  union {
    int64_t number;
    struct zend_string *text;
    void *array;
  } value;
  uint8_t type;
  uint8_t flags[7];
};
struct zend_string {
  uint64_t references, hash, length;
  char bytes[];
};
enum { IS_LONG = 4, IS_STRING = 6, IS_ARRAY = 7 };

static struct {
  const char *(*file)(void);
  uint32_t (*line)(void);
  void (*backtrace)(struct zval *, int skip_last, int options, int limit);
  struct zval *(*at_index)(const void *array, uint64_t index);
  struct zval *(*at_key)(const void *array, const char *key, size_t length);
  void (*release)(struct zval *);
  void *(*make_heap)(void);
  void *(*use_heap)(void *);
} php;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_backtrace;

static void find_functions(void) {
#define FIND(field, name) *(void **)&php.field = dlsym(RTLD_DEFAULT, name)
  FIND(file, "zend_get_executed_filename");
  FIND(line, "zend_get_executed_lineno");
  if (php.file && php.line) {
    FIND(backtrace, "zend_fetch_debug_backtrace");
    FIND(at_index, "zend_hash_index_find");
    FIND(at_key, "zend_hash_str_find");
    FIND(release, "zval_ptr_dtor");
    FIND(make_heap, "zend_mm_startup");
    FIND(use_heap, "zend_mm_set_heap");
  }
#undef FIND
  dlerror();
  has_backtrace = php.backtrace && php.at_index && php.at_key && php.release && php.make_heap && php.use_heap;
}

enum { FEW_FRAMES = 8, LONGEST_STACK = 256 };

// Looks at the innermost frames; returns how many there are up to the program's, or all.
static int look_at_frames(int depth, struct caller_event *caller, int *best, char *buffer, size_t size) {
  enum { IGNORE_ARGUMENTS = 2 };
  struct zval frames = {.type = 0};
  int i = 0;
  php.backtrace(&frames, 0, IGNORE_ARGUMENTS, depth);
  for (; frames.type == IS_ARRAY && i < depth && *best < RANK_PROGRAM; i++) {
    const struct zval *frame = php.at_index(frames.value.array, (uint64_t)i);
    if (!frame || frame->type != IS_ARRAY) break;
    // A function that PHP itself calls has no line.
    const struct zval *file = php.at_key(frame->value.array, "file", 4);
    const struct zval *line = php.at_key(frame->value.array, "line", 4);
    if (!file || file->type != IS_STRING || !line || line->type != IS_LONG) continue;
    const char *path = file->value.text->bytes;
    int rank = rank_of_line(rank_of_file(path, CSourceFiles_php), path, (uint64_t)line->value.number);
    if (rank <= *best) continue;
    *best = rank;
    snprintf(buffer, size, "%s", path);
    caller->file = buffer;
    caller->line = (uint64_t)line->value.number;
  }
  php.release(&frames);
  return i;
}

// The frames are a value of PHP. They are made on a heap of the probe: the program's has a limit, and counts.
static void look_behind_libraries(struct caller_event *caller, int best, char *buffer, size_t size) {
  static _Thread_local void *heap;
  static _Thread_local int depth = FEW_FRAMES;
  if (!heap) heap = php.make_heap();
  if (!heap) return;
  void *program_heap = php.use_heap(heap);
  int count = look_at_frames(depth, caller, &best, buffer, size);
  while (best < RANK_PROGRAM && count == depth && depth < LONGEST_STACK) {
    depth *= 2;
    count = look_at_frames(depth, caller, &best, buffer, size);
  }
  if (count < depth / 4 && depth > FEW_FRAMES) depth /= 2;
  php.use_heap(program_heap);
}

bool php_caller(struct caller_event *caller, char *buffer, size_t size) {
  pthread_once(&once, find_functions);
  if (LIKELY(!php.file || !php.line)) return false;
  const char *file = php.file();
  if (!file || file[0] == '[') return false;
  caller->language = "php";
  caller->file = file;
  caller->line = php.line();
  int rank = rank_of_line(rank_of_file(file, CSourceFiles_php), file, caller->line);
  if (rank < RANK_PROGRAM && has_backtrace) look_behind_libraries(caller, rank, buffer, size);
  return true;
}
