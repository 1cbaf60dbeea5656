// SPDX-License-Identifier: Apache-2.0

// Bytes of log text that grow as needed and are kept from one group of lines to the next.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_text {
  char *bytes;
  size_t count;
  size_t capacity;
  int lines;
};

void log_bytes(struct log_text *log, const char *bytes, size_t count);
static inline void log_byte(struct log_text *log, char byte) {
  if (log->count < log->capacity) log->bytes[log->count++] = byte;
  else log_bytes(log, &byte, 1);
}

void log_string(struct log_text *log, const char *text);
void log_unsigned(struct log_text *log, uint64_t value, int digits);
void log_signed(struct log_text *log, int64_t value);
// Appends a span of time as `0.001304s`, to the nearest microsecond.
void log_seconds(struct log_text *log, int64_t ns);
// Appends text from data, escaped so that no value forges a line; see StoreEvents/LogText.swift.
void log_escaped(struct log_text *log, const char *text, size_t count, bool is_quoted);
// Copies text with U+FFFD instead of each byte that is not UTF-8: at most three times as long.
size_t copy_valid_utf8(char *to, const char *from, size_t count);
// The moment in microseconds.
int64_t log_clock(int64_t utc_offset);
// Appends the moment as `2026-11-21 14:12:28.633104`, and returns it.
int64_t log_moment(struct log_text *log, int64_t utc_offset);
