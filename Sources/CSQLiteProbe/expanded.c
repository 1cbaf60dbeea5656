// SPDX-License-Identifier: Apache-2.0

// The bound values of a statement without hooked calls: its SQL with the values substituted for the parameters is
// compared with its SQL. Both have the same tokens otherwise.

#include "expanded.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "literals.h"
#include "values.h"

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static const char *end_of_quoted(const char *at) {
  char quote = *at == '[' ? ']' : *at;
  for (at++; *at; at++) {
    if (*at != quote) continue;
    if (quote == ']' || at[1] != quote) return at + 1;
    at++;
  }
  return at;
}

static const char *end_of_word(const char *at) {
  while (is_word(*at)) at++;
  return at;
}

// The end of the token that begins here: one byte, if it does not matter.
const char *end_of_token(const char *at) {
  if (*at == '\'' || *at == '"' || *at == '`' || *at == '[') return end_of_quoted(at);
  if (at[0] == '-' && at[1] == '-') return at + strcspn(at, "\n");
  if (at[0] == '/' && at[1] == '*') {
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
  }
  if (*at == '?') return at + 1 + strspn(at + 1, "0123456789");
  if (*at == ':' || *at == '@' || *at == '#') return end_of_word(at + 1);
  return is_word(*at) ? end_of_word(at) : at + 1;
}

static bool is_parameter(const char *at, const char *end) {
  return *at == '?' || ((*at == ':' || *at == '@' || *at == '#' || *at == '$') && end > at + 1);
}

// The end of a value as SQLite writes it: NULL, a number, 'text', x'blob' or zeroblob(N).
static const char *end_of_value(const char *at) {
  if (*at == '\'') return end_of_quoted(at);
  if (*at == 'x' && at[1] == '\'') return end_of_quoted(at + 1);
  if (strncmp(at, "zeroblob(", 9) == 0) return at + strcspn(at, ")") + 1;
  if (*at == '-') at++;
  if (!isdigit((unsigned char)*at)) return end_of_word(at);
  at += strspn(at, "0123456789.");
  if (*at != 'e') return at;
  at += at[1] == '-' || at[1] == '+' ? 2 : 1;
  return at + strspn(at, "0123456789");
}

static void keep_literal_text(struct statement *statement, int index, const char *at,
                              const char *end) {
  char *text = malloc((size_t)(end - at));
  if (!text) return;
  size_t length = 0;
  for (at++; at < end - 1; at++) {
    text[length++] = *at;
    if (*at == '\'') at++;
  }
  value_kept(statement, index, literal_of_text(text, length));
  free(text);
}

static void keep_literal_blob(struct statement *statement, int index, const char *at,
                              const char *end) {
  unsigned char *bytes = malloc((size_t)(end - at));
  if (!bytes) return;
  size_t length = 0;
  for (at += 2; at + 1 < end - 1; at += 2) {
    char digits[3] = {at[0], at[1], 0};
    bytes[length++] = (unsigned char)strtoul(digits, NULL, 16);
  }
  value_kept(statement, index, literal_of_blob(bytes, length));
  free(bytes);
}

static void keep(struct statement *statement, int index, const char *at, const char *end) {
  char literal[64];
  size_t length = (size_t)(end - at);
  if (*at == '\'') return keep_literal_text(statement, index, at, end);
  if (*at == 'x') return keep_literal_blob(statement, index, at, end);
  if (*at == 'z') return value_kept(statement, index, literal_of_zeroes(strtoull(at + 9, NULL, 10)));
  if (length == 0 || length >= sizeof literal) return;
  memcpy(literal, at, length);
  literal[length] = 0;
  if (strcmp(literal, "Inf") == 0) strcpy(literal, "9e999");
  if (strcmp(literal, "-Inf") == 0) strcpy(literal, "-9e999");
  value_kept(statement, index, strdup(literal));
}

// The parameters that were met: SQLite numbers a name once.
struct names {
  const char *start[KEPT_PARAMETERS];
  size_t length[KEPT_PARAMETERS];
  int last;
};

// The number of a parameter: as written, that of the same name before, or the next.
static int number_of(struct names *names, const char *at, size_t length) {
  int number = *at == '?' && length > 1 ? atoi(at + 1) : 0;
  for (int i = 0; *at != '?' && i < names->last && i < KEPT_PARAMETERS; i++)
    if (names->length[i] == length && strncmp(names->start[i], at, length) == 0) return i + 1;
  if (number == 0) number = names->last + 1;
  if (number > names->last) names->last = number;
  if (number <= KEPT_PARAMETERS && names->length[number - 1] == 0) {
    names->start[number - 1] = at;
    names->length[number - 1] = length;
  }
  return number;
}

void keep_expanded(struct statement *statement, const char *sql, const char *expanded) {
  struct names names = {.last = 0};
  for (const char *at = sql; *at;) {
    const char *end = end_of_token(at);
    if (!is_parameter(at, end)) {
      // Not the text that this was made of: no values rather than wrong ones.
      if (strncmp(at, expanded, (size_t)(end - at)) != 0) return;
      expanded += end - at;
    } else {
      const char *value_end = end_of_value(expanded);
      keep(statement, number_of(&names, at, (size_t)(end - at)), expanded, value_end);
      expanded = value_end;
    }
    at = end;
  }
}
