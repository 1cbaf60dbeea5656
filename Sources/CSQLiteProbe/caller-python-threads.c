// SPDX-License-Identifier: Apache-2.0

// Where the threads of a Python program are: `thread`, the thread's number and name, the program's line and function, the
// innermost line and function, and the pool of connections that it waits for; with tabs between them.

#include "caller-python-threads.h"

#include <stdio.h>
#include <string.h>

#include "caller-python-api.h"
#include "caller-python-frames.h"
#include "caller-files.h"

// A frame's file and function, with its line.
struct location {
  char file[1024], function[256];
  int line;
};

static bool read_location(void *frame, struct location *location) {
  void *code = attribute_of(frame, NAME("f_code"));
  location->line = python.line(frame);
  bool is_found = code && copy_attribute(code, NAME("co_filename"), location->file, sizeof location->file) &&
                  copy_attribute(code, NAME("co_name"), location->function, sizeof location->function);
  release_object(code);
  return is_found;
}

// Whether a frame takes a connection from a pool's queue.
static bool takes_from_pool(const struct location *location) {
  return strstr(location->file, "/sqlalchemy/util/queue.py") && strcmp(location->function, "get") == 0;
}

// Whether a thread waits until another one returns a connection.
static bool waits_for_pool(void *frame) {
  struct location location;
  bool is_found = false;
  python.increment(frame);
  // The wait has frames of its own, within those of the queue.
  for (int depth = 0; frame && depth < 4 && !is_found; depth++) {
    is_found = depth > 0 && read_location(frame, &location) && takes_from_pool(&location);
    void *back = attribute_of(frame, NAME("f_back"));
    python.decrement(frame);
    frame = back;
  }
  release_object(frame);
  return is_found;
}

static void write_text(int file, const char *text, const char *end) {
  char copy[1024];
  size_t length = strnlen(text, sizeof copy - 1);
  for (size_t i = 0; i < length; i++) copy[i] = (unsigned char)text[i] < ' ' ? '?' : text[i];
  copy[length] = 0;
  dprintf(file, "%s%s", copy, end);
}

// The thread's number in the kernel and its name in the program; both may be unknown.
static void write_thread(int file, void *key) {
  char name[128] = "";
  void *modules = python.of_sys("modules");
  void *module = modules ? python.mapping_item(modules, "threading") : NULL;
  void *active = module ? attribute_of(module, NAME("_active")) : NULL;
  void *thread = active ? python.item(active, key) : NULL;
  python.error_clear();
  void *number = thread ? attribute_of(thread, NAME("native_id")) : NULL;
  if (thread) copy_attribute(thread, NAME("_name"), name, sizeof name);
  dprintf(file, "thread\t%ld\t", number ? python.number(number) : 0);
  write_text(file, name, "\t");
  release_object(number);
  release_object(thread);
  release_object(active);
  release_object(module);
  python.error_clear();
}

static void write_frames(int file, void *frame) {
  char buffer[2048];
  struct location innermost = {"", "", 0};
  struct ranked_frame best = {-1, NULL, false};
  struct caller_event caller = {.file = "", .function = ""};
  read_location(frame, &innermost);
  look_at_frames(frame, &best, NULL);
  describe_best_frame(&best, &caller, buffer, sizeof buffer);
  write_text(file, without_start_folder(caller.file), ":");
  dprintf(file, "%d\t", (int)caller.line);
  write_text(file, caller.function, "\t");
  write_text(file, innermost.file, ":");
  dprintf(file, "%d\t", innermost.line);
  write_text(file, innermost.function, "\t");
  write_text(file, waits_for_pool(frame) ? "SQLAlchemy" : "", "\n");
}

static void write_threads(int file) {
  void *function = python.of_sys("_current_frames");
  void *frames = function ? python.call(function, NULL) : NULL;
  void *keys = frames ? python.keys(frames) : NULL;
  for (intptr_t i = 0; keys && i < python.length(keys); i++) {
    void *key = python.sequence_item(keys, i);
    void *frame = key ? python.item(frames, key) : NULL;
    if (frame) {
      write_thread(file, key);
      write_frames(file, frame);
    }
    release_object(frame);
    release_object(key);
  }
  release_object(keys);
  release_object(frames);
  python.error_clear();
}

bool write_python_threads(int file) {
  if (!find_python() || !python.keys || !python.is_initialized()) return false;
  if (python.is_finalizing && python.is_finalizing()) return false;
  int state = python.ensure();
  write_threads(file);
  python.release(state);
  return true;
}
