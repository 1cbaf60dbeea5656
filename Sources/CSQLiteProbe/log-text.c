// SPDX-License-Identifier: Apache-2.0

#include "log-text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CLogSink.h"

void log_bytes(struct log_text *log, const char *bytes, size_t count) {
  if (log->count + count > log->capacity) {
    size_t capacity = (log->count + count) * 2 + 4096;
    char *grown = realloc(log->bytes, capacity);
    if (!grown) return;
    log->bytes = grown;
    log->capacity = capacity;
  }
  memcpy(log->bytes + log->count, bytes, count);
  log->count += count;
}

void log_string(struct log_text *log, const char *text) { log_bytes(log, text, strlen(text)); }

void log_unsigned(struct log_text *log, uint64_t value, int digits) {
  enum { MOST = 20 };
  static const char pairs[] =
      "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
  char text[2 * MOST];
  int start = MOST;
  while (value >= 10) {
    memcpy(text + (start -= 2), pairs + value % 100 * 2, 2);
    value /= 100;
  }
  if (value > 0) text[--start] = (char)('0' + value);
  while (MOST - start < digits) text[--start] = '0';
  size_t count = (size_t)(MOST - start);
  if (log->capacity - log->count < MOST) return log_bytes(log, text + start, count);
  // Of a constant size, it is no call.
  memcpy(log->bytes + log->count, text + start, MOST);
  log->count += count;
}

void log_signed(struct log_text *log, int64_t value) {
  if (value < 0) log_bytes(log, "-", 1);
  log_unsigned(log, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

void log_seconds(struct log_text *log, int64_t ns) {
  uint64_t microseconds = ((uint64_t)(ns > 0 ? ns : 0) + 500) / 1000;
  log_unsigned(log, microseconds / 1000000, 1);
  log_bytes(log, ".", 1);
  log_unsigned(log, microseconds % 1000000, 6);
  log_bytes(log, "s", 1);
}

int64_t log_clock(int64_t utc_offset) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t local = now.tv_sec + utc_offset;
  return (local < 0 ? 0 : local) * 1000000 + now.tv_nsec / 1000;
}

int64_t log_moment(struct log_text *log, int64_t utc_offset) {
  int64_t moment = log_clock(utc_offset);
  struct CLogSink_date date = CLogSink_date(moment / 1000000);
  const int64_t parts[] = {date.year, date.month, date.day, date.hour, date.minute, date.second, moment % 1000000};
  const char ends[] = "-- ::.";
  for (int i = 0; i < 7; i++) {
    log_unsigned(log, (uint64_t)parts[i], i == 0 ? 1 : i == 6 ? 6 : 2);
    if (i < 6) log_bytes(log, &ends[i], 1);
  }
  return moment;
}

// The count of bytes of the UTF-8 sequence at `at`, or 0 if it is not valid.
static int sequence_length(const unsigned char *at, size_t count) {
  unsigned char lead = at[0];
  int length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length == 0 || (size_t)length > count) return 0;
  for (int i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, and values above U+10FFFF.
  if ((lead == 0xe0 && at[1] < 0xa0) || (lead == 0xed && at[1] >= 0xa0) ||
      (lead == 0xf0 && at[1] < 0x90) || (lead == 0xf4 && at[1] >= 0x90))
    return 0;
  return length;
}

// Copies text with U+FFFD instead of each byte that is not UTF-8: at most three times as long.
size_t copy_valid_utf8(char *to, const char *from, size_t count) {
  size_t written = 0;
  for (size_t i = 0; i < count;) {
    int length = sequence_length((const unsigned char *)from + i, count - i);
    if (length == 0) {
      memcpy(to + written, "\xef\xbf\xbd", 3);
      written += 3;
      i++;
    } else {
      memmove(to + written, from + i, (size_t)length);
      written += (size_t)length;
      i += (size_t)length;
    }
  }
  return written;
}

static bool needs_escape(uint32_t scalar) {
  return scalar < 0x20 || (scalar >= 0x7f && scalar <= 0x9f) || scalar == '\\' ||
         scalar == 0x2028 || scalar == 0x2029 || (scalar >= 0x202a && scalar <= 0x202e) ||
         (scalar >= 0x2066 && scalar <= 0x2069);
}

static uint32_t scalar_of(const unsigned char *at, int length) {
  switch (length) {
    case 2: return (uint32_t)(at[0] & 0x1f) << 6 | (at[1] & 0x3f);
    case 3: return (uint32_t)(at[0] & 0x0f) << 12 | (uint32_t)(at[1] & 0x3f) << 6 | (at[2] & 0x3f);
    case 4:
      return (uint32_t)(at[0] & 0x07) << 18 | (uint32_t)(at[1] & 0x3f) << 12 |
             (uint32_t)(at[2] & 0x3f) << 6 | (at[3] & 0x3f);
    default: return at[0];
  }
}

static void append_escape(struct log_text *log, uint32_t scalar) {
  char text[16];
  switch (scalar) {
    case '\\': return log_bytes(log, "\\\\", 2);
    case '\n': return log_bytes(log, "\\n", 2);
    case '\r': return log_bytes(log, "\\r", 2);
    case '\t': return log_bytes(log, "\\t", 2);
    case '"': return log_bytes(log, "\\\"", 2);
    default: snprintf(text, sizeof text, "\\u{%x}", scalar); return log_string(log, text);
  }
}

void log_escaped(struct log_text *log, const char *text, size_t count, bool is_quoted) {
  if (is_quoted) log_bytes(log, "\"", 1);
  size_t start = 0;
  for (size_t i = 0; i < count;) {
    const unsigned char *at = (const unsigned char *)text + i;
    int length = sequence_length(at, count - i);
    uint32_t scalar = length > 0 ? scalar_of(at, length) : 0xfffd;
    if (length > 0 && !needs_escape(scalar) && !(is_quoted && scalar == '"')) {
      i += (size_t)length;
      continue;
    }
    log_bytes(log, text + start, i - start);
    if (length > 0) append_escape(log, scalar);
    else log_bytes(log, "\xef\xbf\xbd", 3);
    i += length > 0 ? (size_t)length : 1;
    start = i;
  }
  log_bytes(log, text + start, count - start);
  if (is_quoted) log_bytes(log, "\"", 1);
}
