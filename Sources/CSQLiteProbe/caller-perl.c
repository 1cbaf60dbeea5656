// SPDX-License-Identifier: Apache-2.0

// The line of Perl that runs a statement: first by the text that Perl adds to messages, ` at shop.pl line 12.`, then by
// the contexts that called it, which Perl_caller_cx() returns. Their layout differs from version to version: it is found
// once, by the line and the file of that text.

#define _GNU_SOURCE
#include "caller-perl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "caller-helpers.h"
#include "lifecycle.h"
#include "state.h"

static struct {
  void *(*context)(void);
  void *(*message)(void *perl, const char *format, ...);
  const char *(*text)(void *perl, void *value, size_t *length, unsigned flags);
  const char *(*frame)(void *perl, int level, void *debugger);
} perl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_perl;

static void find_functions(void) {
#define FIND(field, name) *(void **)&perl.field = dlsym(RTLD_DEFAULT, name)
  FIND(context, "Perl_get_context");
  FIND(message, "Perl_mess");
  FIND(text, "Perl_sv_2pv_flags");
  FIND(frame, "Perl_caller_cx");
#undef FIND
  dlerror();
  has_perl = perl.context && perl.message && perl.text && perl.frame;
}

// MARK: - Layouts

// Where the operation that begins a line has its line and its file, and where a frame has the operation that called it.
// Each is -1 if it was not found, and 0 before it is looked for.
static int line_offset, file_offset, caller_offset;
// The function of such an operation, which is the same for all.
static uintptr_t function_of_line;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { WORD_SIZE = sizeof(uintptr_t), OPERATION = 96, FUNCTION_OFFSET = 16, INTERPRETER = 4096, FRAME = 64 };

static int ends[2];

// Reads memory that may not be mapped, by a pipe, which then fails; returns how much was read.
static size_t peek(uintptr_t address, void *to, size_t size) {
  ssize_t count = address < 4096 ? -1 : write(ends[1], (const void *)address, size);
  return count > 0 && read(ends[0], to, (size_t)count) == count ? (size_t)count : 0;
}

static uintptr_t word_at(const char *bytes, int offset) {
  uintptr_t word;
  memcpy(&word, bytes + offset, sizeof word);
  return word;
}

static bool has_text(uintptr_t address, const char *text) {
  char found[1024];
  size_t length = strlen(text) + 1;
  return length <= sizeof found && peek(address, found, length) == length && memcmp(found, text, length) == 0;
}

// Whether an address is that of the operation with this line and this file.
static bool is_operation(uintptr_t address, uint32_t line, const char *file) {
  char operation[OPERATION];
  if (address % WORD_SIZE != 0 || peek(address, operation, OPERATION) != OPERATION) return false;
  for (int at = 24; at + 4 <= OPERATION; at += 4) {
    uint32_t number;
    memcpy(&number, operation + at, sizeof number);
    if (number != line) continue;
    for (int text = 24; text + WORD_SIZE <= OPERATION; text += WORD_SIZE)
      if (has_text(word_at(operation, text), file)) {
        line_offset = at;
        file_offset = text;
        function_of_line = word_at(operation, FUNCTION_OFFSET);
        return true;
      }
  }
  return false;
}

// The interpreter has the operation that runs among its first variables.
static void find_operation(const void *interpreter, uint32_t line, const char *file) {
  char variables[INTERPRETER];
  size_t size = peek((uintptr_t)interpreter, variables, sizeof variables);
  for (size_t at = 0; at + WORD_SIZE <= size; at += WORD_SIZE)
    if (is_operation(word_at(variables, (int)at), line, file)) return;
}

static void find_caller(const char *frame) {
  char bytes[FRAME];
  size_t size = peek((uintptr_t)frame, bytes, sizeof bytes);
  for (int at = WORD_SIZE; at + WORD_SIZE <= (int)size; at += WORD_SIZE) {
    uintptr_t function;
    if (peek(word_at(bytes, at) + FUNCTION_OFFSET, &function, sizeof function) != sizeof function) continue;
    if (function != function_of_line) continue;
    caller_offset = at;
    return;
  }
}

static void find_layouts(const void *interpreter, const char *frame, uint32_t line, const char *file) {
  line_offset = caller_offset = -1;
  // A filter may end the program at a call that it does not make.
  if (is_filtered || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  find_operation(interpreter, line, file);
  if (line_offset > 0) find_caller(frame);
  close(ends[0]);
  close(ends[1]);
}

static bool has_layouts(const void *interpreter, const char *frame, uint32_t line, const char *file) {
  pthread_mutex_lock(&lock);
  if (line_offset == 0) find_layouts(interpreter, frame, line, file);
  bool has_both = line_offset > 0 && caller_offset > 0;
  pthread_mutex_unlock(&lock);
  return has_both;
}

// The thread that forked may not be the one that held the lock.
static void after_fork(void) { pthread_mutex_init(&lock, NULL); }

// MARK: - Frames

// Reads ` at shop.pl line 12.` or ` at shop.pl line 12, <STDIN> line 3.`
static bool read_location(void *interpreter, struct caller_event *caller, char *buffer, size_t size) {
  static const char start[] = " at ", middle[] = " line ";
  size_t length = 0, skipped = sizeof start - 1;
  const char *text = perl.text(interpreter, perl.message(interpreter, "%s", ""), &length, 0);
  if (!text || length >= size || strncmp(text, start, skipped) != 0) return false;
  memcpy(buffer, text + skipped, length - skipped);
  buffer[length - skipped] = 0;
  char *line = strstr(buffer, middle);
  if (!line) return false;
  *line = 0;
  caller->language = "perl";
  caller->file = buffer;
  caller->line = strtoull(line + sizeof middle - 1, NULL, 10);
  return true;
}

static void look_behind_libraries(void *interpreter, struct caller_event *caller, int best) {
  const char *frame = perl.frame(interpreter, 0, NULL);
  if (!frame || !has_layouts(interpreter, frame, (uint32_t)caller->line, caller->file)) return;
  // 64 is arbitrary: DBIx::Class has about 20 functions between the program and the driver.
  for (int level = 1; frame && level < 64 && best < RANK_PROGRAM; level++) {
    const char *operation = (const char *)word_at(frame, caller_offset);
    const char *file = operation ? (const char *)word_at(operation, file_offset) : NULL;
    uint32_t line = 0;
    if (file) memcpy(&line, operation + line_offset, sizeof line);
    int rank = file ? rank_of_line(rank_of_file(file, CSourceFiles_perl), file, line) : -1;
    if (rank > best) {
      best = rank;
      caller->file = file;
      caller->line = line;
    }
    frame = perl.frame(interpreter, level, NULL);
  }
}

bool perl_caller(struct caller_event *caller, char *buffer, size_t size) {
  pthread_once(&once, find_functions);
  void *interpreter = LIKELY(!has_perl) ? NULL : perl.context();
  if (!interpreter || !read_location(interpreter, caller, buffer, size)) return false;
  int rank = rank_of_line(rank_of_file(caller->file, CSourceFiles_perl), caller->file, caller->line);
  if (rank < RANK_PROGRAM) look_behind_libraries(interpreter, caller, rank);
  return true;
}

LIFECYCLE(.after_fork = after_fork)
