// SPDX-License-Identifier: Apache-2.0

// The line of Ruby that runs a statement, by the functions that Ruby exports for profilers. They allocate no object,
// so that they work during a garbage collection and on a stack of the probe.

#define _GNU_SOURCE
#include "caller-ruby.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "caller-helpers.h"
#include "macros.h"

typedef uintptr_t VALUE;

static struct {
  int (*is_ruby_thread)(void);
  int (*has_lock)(void);
  void *(*with_lock)(void *(*)(void *), void *);
  int (*frames)(int, int, VALUE *, int *);
  VALUE (*absolute_path)(VALUE);
  VALUE (*path)(VALUE);
  VALUE (*label)(VALUE);
  const char *(*text)(volatile VALUE *);
} ruby;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_ruby;

static void find_functions(void) {
#define FIND(field, name) *(void **)&ruby.field = dlsym(RTLD_DEFAULT, name)
  FIND(frames, "rb_profile_frames");
  if (ruby.frames) {
    FIND(is_ruby_thread, "ruby_native_thread_p");
    FIND(has_lock, "ruby_thread_has_gvl_p");
    FIND(with_lock, "rb_thread_call_with_gvl");
    FIND(absolute_path, "rb_profile_frame_absolute_path");
    FIND(path, "rb_profile_frame_path");
    FIND(label, "rb_profile_frame_base_label");
    FIND(text, "rb_string_value_ptr");
  }
#undef FIND
  dlerror();
  has_ruby = ruby.frames && ruby.is_ruby_thread && ruby.has_lock && ruby.with_lock && ruby.absolute_path && ruby.path && ruby.label &&
             ruby.text;
}

// Whether a value is an object, and neither nil nor false, which are below 0x24 in each version since 2.0.
static bool is_object(VALUE value) { return value > 0x24 && (value & 7) == 0; }

static const char *text_of(VALUE value) {
  volatile VALUE string = value;
  return is_object(value) ? ruby.text(&string) : NULL;
}

// Code that was compiled from a text has no absolute path; of a template it has the template's.
static const char *file_of(VALUE frame) {
  const char *file = text_of(ruby.absolute_path(frame));
  return file ? file : text_of(ruby.path(frame));
}

enum { FEW_FRAMES = 8, LONGEST_STACK = 512 };

// Looks at the innermost frames; returns how many there are up to the program's, or all.
static int look_at_frames(int depth, struct caller_event *caller, int *best) {
  VALUE frames[LONGEST_STACK];
  int lines[LONGEST_STACK];
  int count = ruby.frames(0, depth, frames, lines), i = 0;
  for (; i < count && *best < RANK_PROGRAM; i++) {
    // A function in C has no line.
    const char *file = lines[i] > 0 ? file_of(frames[i]) : NULL;
    int rank = file ? rank_of_line(rank_of_file(file, CSourceFiles_ruby), file, (uint64_t)lines[i]) : -1;
    if (rank <= *best) continue;
    *best = rank;
    const char *label = text_of(ruby.label(frames[i]));
    caller->file = file;
    caller->line = (uint64_t)lines[i];
    caller->function = label ? label : "";
  }
  return i;
}

static bool find_line(struct caller_event *caller) {
  // Each frame takes time: the depth that was enough before on this thread is tried first.
  static _Thread_local int depth = FEW_FRAMES;
  int best = -1, count = look_at_frames(depth, caller, &best);
  while (best < RANK_PROGRAM && count == depth && depth < LONGEST_STACK) {
    depth *= 2;
    count = look_at_frames(depth, caller, &best);
  }
  if (count < depth / 4 && depth > FEW_FRAMES) depth /= 2;
  if (best < 0) return false;
  caller->language = "ruby";
  return true;
}

static void *find_line_with_lock(void *caller) { return find_line(caller) ? caller : NULL; }

// Ruby releases its lock while it opens or closes a file.
bool ruby_caller(struct caller_event *caller, bool may_lock) {
  pthread_once(&once, find_functions);
  if (LIKELY(!has_ruby) || !ruby.is_ruby_thread()) return false;
  if (ruby.has_lock()) return find_line(caller);
  return may_lock && ruby.with_lock(find_line_with_lock, caller);
}
