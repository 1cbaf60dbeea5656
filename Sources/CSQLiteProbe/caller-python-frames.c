// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "caller-python-frames.h"

#include <string.h>

#include "caller-python-api.h"
#include "caller-python-cells.h"
#include "caller-helpers.h"

static void *code_of(void *frame) {
  return python.code ? python.code(frame) : get_attribute(frame, NAME("f_code"));
}

// A new reference to the calling frame, or NULL.
static void *frame_behind(void *frame) {
  void *back = python.back ? python.back(frame) : get_attribute(frame, NAME("f_back"));
  if (back && back == python.none) {
    python.decrement(back);
    return NULL;
  }
  return back;
}

void keep_frame(struct ranked_frame *best, int rank, void *frame) {
  python.increment(frame);
  release_object(best->frame);
  *best = (struct ranked_frame){rank, frame, false};
}

// `end` begins with `/`, which the whole path of a file in a frozen program does not.
static bool ends_with(const char *file, const char *end) {
  size_t length = strlen(file), count = strlen(end);
  return length >= count ? memcmp(file + length - count, end, count) == 0 : strcmp(file, end + 1) == 0;
}

// Whether a library's file runs functions on a thread of its own, with a future that their caller awaits.
static bool works_for_futures(const char *file) {
  static const char *const names[] = {
      "/aiosqlite/core.py", "/concurrent/futures/thread.py", "/asgiref/current_thread_executor.py"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (ends_with(file, names[i])) return true;
  return false;
}

bool runs_in_greenlets(const char *file) {
  return ends_with(file, "/sqlalchemy/util/concurrency.py") || ends_with(file, "/sqlalchemy/util/_concurrency_py3k.py");
}

int rank_of_frame(void *frame, const char *file) {
  int rank = rank_of_file(file, CSourceFiles_python);
  // To find the line, Python reads the table of its function from the start.
  return rank == RANK_PROGRAM && lines_have_ranks() ? rank_of_line(rank, file, (uint64_t)python.line(frame)) : rank;
}

void look_at_frames(void *frame, struct ranked_frame *best, void **worker) {
  python.increment(frame);
  for (int depth = 0; frame && depth < 200 && best->rank < RANK_PROGRAM; depth++) {
    char file[1024];
    void *code = code_of(frame);
    bool has_file = code && copy_attribute(code, NAME("co_filename"), file, sizeof file);
    release_object(code);
    int rank = has_file ? rank_of_frame(frame, file) : -1;
    bool is_of_worker = worker && rank == RANK_RUNTIME && works_for_futures(file);
    if (worker && *worker && !is_of_worker) break;
    if (rank > best->rank) keep_frame(best, rank, frame);
    void *back = frame_behind(frame);
    release_object(is_of_worker ? *worker : frame);
    if (is_of_worker) *worker = frame;
    frame = back;
  }
  release_object(frame);
}

bool describe_best_frame(struct ranked_frame *best, struct caller_event *caller, char *buffer, size_t size) {
  size_t half = size / 2;
  void *code = best->frame ? code_of(best->frame) : NULL;
  bool is_found = code && copy_attribute(code, NAME("co_filename"), buffer, half);
  if (is_found) {
    best->is_cell = name_cell(best->frame, buffer, half);
    caller->language = "python";
    caller->line = (uint64_t)python.line(best->frame);
    caller->file = buffer;
    caller->function = buffer + half;
    if (!copy_attribute(code, NAME("co_qualname"), buffer + half, half) &&
        !copy_attribute(code, NAME("co_name"), buffer + half, half))
      buffer[half] = 0;
  }
  release_object(code);
  release_object(best->frame);
  return is_found;
}
