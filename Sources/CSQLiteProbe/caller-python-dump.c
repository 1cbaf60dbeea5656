// SPDX-License-Identifier: Apache-2.0

// The line of Python that runs a statement, on a thread without the interpreter's lock: from the text that
// Python's fault handler writes about the thread's frames. They do not change while the thread is in
// SQLite, and the handler takes no lock and allocates no memory.

#define _GNU_SOURCE
#include "caller-python-dump.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "caller-helpers.h"

static size_t append_utf8(unsigned long character, char *to) {
  // A byte of a file name that is not UTF-8.
  if (character >= 0xDC80 && character <= 0xDCFF) return to[0] = (char)(character & 0xFF), 1;
  if (character < 0x80) return to[0] = (char)character, 1;
  size_t rest = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
  to[0] = (char)(first[rest] | character >> (6 * rest));
  for (size_t i = 1; i <= rest; i++)
    to[i] = (char)(0x80 | (character >> (6 * (rest - i)) & 0x3F));
  return rest + 1;
}

// Copies text in which the handler has written characters beyond ASCII as \xe9, \u20ac or \U0001f600.
static void unescape(const char *text, size_t length, char *to, size_t size) {
  size_t count = 0;
  for (size_t i = 0; i < length && count + 4 < size;) {
    size_t digits = text[i] != '\\' || i + 1 >= length ? 0
                    : text[i + 1] == 'x'               ? 2
                    : text[i + 1] == 'u'               ? 4
                    : text[i + 1] == 'U'               ? 8
                                                       : 0;
    char hex[9] = "", *end = hex;
    unsigned long character = 0;
    if (digits && i + 2 + digits <= length) {
      memcpy(hex, text + i + 2, digits);
      character = strtoul(hex, &end, 16);
    }
    if (digits && end == hex + digits && character <= 0x10FFFF) {
      count += append_utf8(character, to + count);
      i += 2 + digits;
    } else {
      to[count++] = text[i++];
    }
  }
  to[count] = 0;
}

// Reads `  File "/srv/app.py", line 12 in show`.
static bool read_frame(const char *line, size_t length, struct caller_event *caller, char *buffer, size_t size) {
  static const char head[] = "  File \"", middle[] = "\", line ", tail[] = " in ";
  size_t start = sizeof head - 1;
  if (length < start || memcmp(line, head, start) != 0) return false;
  const char *end = NULL;
  for (const char *at = line + start; (at = memmem(at, (size_t)(line + length - at), middle, sizeof middle - 1)); at++)
    end = at;
  if (!end) return false;
  const char *number = end + sizeof middle - 1;
  const char *name = memmem(number, (size_t)(line + length - number), tail, sizeof tail - 1);
  if (!name) return false;
  size_t half = size / 2;
  unescape(line + start, (size_t)(end - line) - start, buffer, half);
  name += sizeof tail - 1;
  unescape(name, (size_t)(line + length - name), buffer + half, half);
  caller->language = "python";
  caller->file = buffer;
  caller->function = buffer + half;
  caller->line = strtoull(number, NULL, 10);
  return true;
}

static bool best_frame(const char *text, size_t length, struct caller_event *caller, char *buffer, size_t size) {
  char other[4096];
  int best = -1;
  for (const char *line = text, *end = text + length; line < end && best < RANK_PROGRAM;) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    size_t count = (size_t)((newline ? newline : end) - line);
    struct caller_event frame = *caller;
    if (read_frame(line, count, &frame, other, sizeof other)) {
      int rank = rank_of_line(rank_of_file(other, CSourceFiles_python), other, frame.line);
      if (rank > best) {
        best = rank;
        read_frame(line, count, caller, buffer, size);
      }
    }
    line += count + 1;
  }
  return best >= 0;
}

size_t python_dump(void (*dump)(int, void *), void *thread_state, char *text, size_t size) {
  int ends[2];
  // Never blocks: of a stack that is deeper than a pipe the rest is left out.
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return 0;
  dump(ends[1], thread_state);
  ssize_t length = read(ends[0], text, size - 1);
  close(ends[0]);
  close(ends[1]);
  if (length < 0) length = 0;
  text[length] = 0;
  return (size_t)length;
}

bool python_caller_from_dump(
    void (*dump)(int, void *), void *thread_state, struct caller_event *caller, char *buffer, size_t size) {
  char text[16384];
  size_t length = python_dump(dump, thread_state, text, sizeof text);
  return length > 0 && best_frame(text, length, caller, buffer, size);
}
