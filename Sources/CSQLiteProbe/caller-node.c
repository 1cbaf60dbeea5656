// SPDX-License-Identifier: Apache-2.0

// The line of JavaScript that runs a statement, by the functions of V8 that Node exports for its addons.

#define _GNU_SOURCE
#include "caller-node.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caller-helpers.h"
#include "state.h"

// A `v8::Local` is a pointer to a slot of the scope, and is returned as one.
typedef void *local;

struct location {
  int line, column;
};

static struct {
  const char *(*version)(void);
  void *(*current)(void);
  bool (*is_in_context)(void *isolate);
  local (*stack)(void *isolate, int count, int options);
  int (*count)(local stack);
  local (*frame)(local stack, void *isolate, uint32_t index);
  local (*script)(local frame);
  struct location (*location)(local frame);
  int (*write)(local string, void *isolate, char *buffer, int size, int *count, int options);
  void (*open_scope)(void *scope, void *isolate);
  void (*close_scope)(void *scope);
} v8;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_v8;

static void find_functions(void) {
#define FIND(field, name) *(void **)&v8.field = dlsym(RTLD_DEFAULT, name)
  FIND(version, "_ZN2v82V810GetVersionEv");
  if (v8.version) {
    FIND(current, "_ZN2v87Isolate13TryGetCurrentEv");
    FIND(is_in_context, "_ZN2v87Isolate9InContextEv");
    FIND(stack, "_ZN2v810StackTrace17CurrentStackTraceEPNS_7IsolateEiNS0_17StackTraceOptionsE");
    FIND(count, "_ZNK2v810StackTrace13GetFrameCountEv");
    FIND(frame, "_ZNK2v810StackTrace8GetFrameEPNS_7IsolateEj");
    FIND(script, "_ZNK2v810StackFrame13GetScriptNameEv");
    FIND(location, "_ZNK2v810StackFrame11GetLocationEv");
    FIND(write, "_ZNK2v86String9WriteUtf8EPNS_7IsolateEPciPii");
    FIND(open_scope, "_ZN2v811HandleScopeC1EPNS_7IsolateE");
    FIND(close_scope, "_ZN2v811HandleScopeD1Ev");
  }
#undef FIND
  dlerror();
  bool has_all = v8.version && v8.current && v8.is_in_context && v8.stack && v8.count && v8.frame && v8.script &&
                 v8.location && v8.write && v8.open_scope && v8.close_scope;
  // The functions were the same from Node 20 to 24; later versions may have other parameters.
  int version = has_all ? atoi(v8.version()) : 0;
  has_v8 = version >= 11 && version <= 13;
}

static bool copy_text(local string, void *isolate, char *buffer, size_t size) {
  int count = string ? v8.write(string, isolate, buffer, (int)size - 1, NULL, 0) : 0;
  buffer[count > 0 && (size_t)count < size ? count : 0] = 0;
  return count > 0;
}

static int digit(char character) {
  return character >= '0' && character <= '9'   ? character - '0'
         : (character | 32) >= 'a' && (character | 32) <= 'f' ? (character | 32) - 'a' + 10
                                                              : -1;
}

// An ECMAScript module is named by its URL: `file:///srv/my%20app/list.mjs` becomes `/srv/my app/list.mjs`.
static void make_path(char *name) {
  static const char scheme[] = "file://";
  if (strncmp(name, scheme, sizeof scheme - 1) != 0) return;
  char *to = name;
  for (const char *from = name + sizeof scheme - 1; *from; from++) {
    bool is_escaped = from[0] == '%' && digit(from[1]) >= 0 && digit(from[2]) >= 0;
    *to++ = is_escaped ? (char)(digit(from[1]) * 16 + digit(from[2])) : *from;
    if (is_escaped) from += 2;
  }
  *to = 0;
}

// Looks at the innermost frame, or at all.
static int look_at_frames(void *isolate, int depth, struct caller_event *caller, char *buffer, size_t size) {
  // The name of a function takes as long again as its frame: it is left out.
  enum { LINE = 1, SCRIPT = 4 };
  local stack = v8.stack(isolate, depth, LINE | SCRIPT);
  int count = stack ? v8.count(stack) : 0, best = -1;
  for (int i = 0; i < count && best < RANK_PROGRAM; i++) {
    char file[1024];
    local frame = v8.frame(stack, isolate, (uint32_t)i);
    if (!frame || !copy_text(v8.script(frame), isolate, file, sizeof file)) continue;
    make_path(file);
    uint64_t line = (uint64_t)v8.location(frame).line + 1;
    int rank = rank_of_line(rank_of_file(file, CSourceFiles_javascript), file, line);
    if (rank <= best) continue;
    best = rank;
    snprintf(buffer, size, "%s", file);
    caller->language = "javascript";
    caller->file = buffer;
    caller->line = line;
  }
  return best;
}

static void *current_isolate(void) {
  pthread_once(&once, find_functions);
  return LIKELY(!has_v8) ? NULL : v8.current();
}

// V8 allocates the frames, and on a stack that it does not find it would fail.
static void *usable_isolate(void) {
  void *isolate = this_thread.is_on_own_stack ? NULL : current_isolate();
  return isolate && v8.is_in_context(isolate) ? isolate : NULL;
}

bool runs_javascript(void) { return current_isolate() != NULL; }

bool node_has_lines(void) { return usable_isolate() != NULL; }

bool node_caller(struct caller_event *caller, char *buffer, size_t size) {
  void *isolate = usable_isolate();
  if (!isolate) return false;
  // A scope has three words.
  uintptr_t scope[8];
  v8.open_scope(scope, isolate);
  // Each frame takes about 1 µs, and 64 is arbitrary: a program's line is within 20 frames of that of a driver.
  int best = look_at_frames(isolate, 1, caller, buffer, size);
  if (best < RANK_PROGRAM) best = look_at_frames(isolate, 64, caller, buffer, size);
  v8.close_scope(scope);
  return best >= 0;
}
