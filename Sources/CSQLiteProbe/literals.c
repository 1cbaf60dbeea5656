// SPDX-License-Identifier: Apache-2.0

// Bound values as SQL literals; a long value is cut, and its length is stated.

#include "literals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log-text.h"
#include "state.h"

// A whole value takes a line of the log, which has 16 MiB at most.
enum { LONGEST_KEPT = 256, LONGEST_WHOLE = 4 << 20 };

static size_t longest_kept(void) { return values_are_whole ? LONGEST_WHOLE : LONGEST_KEPT; }

static size_t write_hex(char *to, const unsigned char *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < count; i++) {
    to[2 * i] = digits[bytes[i] >> 4];
    to[2 * i + 1] = digits[bytes[i] & 15];
  }
  return 2 * count;
}

// A text that an SQL literal, or a line of UTF-8, cannot contain.
static char *literal_of_odd_text(const char *text, size_t length) {
  char *literal = malloc(length * 2 + 32);
  if (!literal) return NULL;
  size_t count = (size_t)sprintf(literal, "CAST(x'");
  count += write_hex(literal + count, (const unsigned char *)text, length);
  strcpy(literal + count, "' AS TEXT)");
  return literal;
}

char *literal_of_text(const char *text, size_t length) {
  size_t kept = length;
  if (length > longest_kept())
    for (kept = longest_kept(); kept > 0 && (text[kept] & 0xc0) == 0x80; kept--) continue;
  char *valid = malloc(kept * 3 + 1), *literal = valid ? malloc(kept * 6 + 64) : NULL;
  size_t count = 0, valid_count = literal ? copy_valid_utf8(valid, text, kept) : 0;
  if (literal && values_are_whole &&
      (memchr(text, 0, kept) || valid_count != kept || memcmp(valid, text, kept) != 0)) {
    free(literal);
    literal = literal_of_odd_text(text, kept);
  } else if (literal) {
    literal[count++] = '\'';
    for (size_t i = 0; i < valid_count; i++) {
      if (valid[i] == 0) continue;
      if (valid[i] == '\'') literal[count++] = '\'';
      literal[count++] = valid[i];
    }
    if (kept < length) snprintf(literal + count, 64, "…' /* cut, %zu bytes */", length);
    else strcpy(literal + count, "'");
  }
  free(valid);
  return literal;
}

char *literal_of_blob(const unsigned char *blob, size_t length) {
  size_t kept = length < longest_kept() ? length : longest_kept();
  char *literal = malloc(kept * 2 + 64);
  if (!literal) return NULL;
  size_t count = (size_t)sprintf(literal, "x'");
  count += write_hex(literal + count, blob, kept);
  if (kept < length) snprintf(literal + count, 64, "' /* cut, %zu bytes */", length);
  else strcpy(literal + count, "'");
  return literal;
}

char *literal_of_zeroes(uint64_t length) {
  if (values_are_whole && length <= LONGEST_WHOLE) {
    unsigned char *zeroes = calloc(1, length + 1);
    char *literal = zeroes ? literal_of_blob(zeroes, length) : NULL;
    free(zeroes);
    return literal;
  }
  char literal[48];
  snprintf(literal, sizeof literal, "x'' /* cut, %llu bytes */", (unsigned long long)length);
  return strdup(literal);
}
