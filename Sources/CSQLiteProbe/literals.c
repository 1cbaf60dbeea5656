// SPDX-License-Identifier: Apache-2.0

// Bound values as SQL literals; a long value is cut, and its length is stated.

#include "literals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log-text.h"

enum { LONGEST_KEPT = 256 };

char *literal_of_text(const char *text, size_t length) {
  size_t kept = length;
  if (length > LONGEST_KEPT)
    for (kept = LONGEST_KEPT; kept > 0 && (text[kept] & 0xc0) == 0x80; kept--) continue;
  char *literal = malloc(kept * 6 + 64), valid[LONGEST_KEPT * 3];
  if (!literal) return NULL;
  size_t count = 0, valid_count = copy_valid_utf8(valid, text, kept);
  literal[count++] = '\'';
  for (size_t i = 0; i < valid_count; i++) {
    if (valid[i] == 0) continue;
    if (valid[i] == '\'') literal[count++] = '\'';
    literal[count++] = valid[i];
  }
  if (kept < length) snprintf(literal + count, 64, "…' /* cut, %zu bytes */", length);
  else strcpy(literal + count, "'");
  return literal;
}

char *literal_of_blob(const unsigned char *blob, size_t length) {
  size_t kept = length < LONGEST_KEPT ? length : LONGEST_KEPT;
  char *literal = malloc(kept * 2 + 64);
  if (!literal) return NULL;
  size_t count = (size_t)sprintf(literal, "x'");
  for (size_t i = 0; i < kept; i++) count += (size_t)sprintf(literal + count, "%02x", blob[i]);
  if (kept < length) snprintf(literal + count, 64, "' /* cut, %zu bytes */", length);
  else strcpy(literal + count, "'");
  return literal;
}

char *literal_of_zeroes(uint64_t length) {
  char literal[48];
  snprintf(literal, sizeof literal, "x'' /* cut, %llu bytes */", (unsigned long long)length);
  return strdup(literal);
}
