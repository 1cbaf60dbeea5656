// SPDX-License-Identifier: Apache-2.0

// Comments in which libraries write who runs a statement:
//
//     SELECT … /*controller='users',action='show',route='%2Fusers%2F%3Aid'*/    sqlcommenter, Rails
//     /*application:shop,controller:users,line:/app/user.rb:12:in `find'*/ SELECT …    Marginalia
//
// They differ from run to run, so they are not part of the statement.

#include "comments.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_key(char c) { return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.'; }

// Whether the inside of a comment is a list of `key='value'` or `key:value`.
static bool is_tag_list(const char *at, const char *end) {
  while (at < end && isspace((unsigned char)*at)) at++;
  const char *key = at;
  while (at < end && is_key(*at)) at++;
  if (at == key || at == end) return false;
  if (*at == ':') return at + 1 < end && !isspace((unsigned char)at[1]);
  return *at == '=' && at + 1 < end && at[1] == '\'';
}

struct part {
  const char *start, *end;
};

static bool is_skipped(char c) { return isspace((unsigned char)c); }

static struct part trimmed(struct part part) {
  while (part.start < part.end && is_skipped(*part.start)) part.start++;
  while (part.end > part.start && is_skipped(part.end[-1])) part.end--;
  return part;
}

// Removes a leading comment; `inside` is its text.
static bool take_front(struct part *sql, struct part *inside) {
  if (sql->end - sql->start < 4 || sql->start[0] != '/' || sql->start[1] != '*') return false;
  for (const char *at = sql->start + 2; at + 1 < sql->end; at++) {
    if (at[0] != '*' || at[1] != '/') continue;
    *inside = (struct part){sql->start + 2, at};
    if (!is_tag_list(inside->start, inside->end)) return false;
    sql->start = at + 2;
    return true;
  }
  return false;
}

static bool take_back(struct part *sql, struct part *inside) {
  if (sql->end - sql->start < 4 || sql->end[-1] != '/' || sql->end[-2] != '*') return false;
  for (const char *at = sql->end - 4; at >= sql->start; at--) {
    if (at[0] != '/' || at[1] != '*') continue;
    *inside = (struct part){at + 2, sql->end - 2};
    if (!is_tag_list(inside->start, inside->end)) return false;
    sql->end = at;
    return true;
  }
  return false;
}

enum { MAX_COMMENTS = 4 };

// Splits SQL into the statement and its tag comments; returns how many there are.
static int split(const char *sql, size_t length, struct part *rest,
                 struct part comments[MAX_COMMENTS], bool *has_semicolon) {
  int count = 0;
  *rest = trimmed((struct part){sql, sql + length});
  const char *end = rest->end;
  *has_semicolon = end > rest->start && end[-1] == ';';
  if (*has_semicolon) *rest = trimmed((struct part){rest->start, end - 1});
  while (count < MAX_COMMENTS && take_front(rest, &comments[count])) {
    *rest = trimmed(*rest);
    count++;
  }
  while (count < MAX_COMMENTS && take_back(rest, &comments[count])) {
    *rest = trimmed(*rest);
    count++;
  }
  return count;
}

size_t sql_without_tags(const char *sql, size_t length, char *buffer) {
  struct part rest, comments[MAX_COMMENTS];
  bool has_semicolon;
  if (split(sql, length, &rest, comments, &has_semicolon) == 0) return 0;
  size_t count = (size_t)(rest.end - rest.start);
  memcpy(buffer, rest.start, count);
  if (has_semicolon) buffer[count++] = ';';
  return count;
}

// MARK: - The caller

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

// Copies a value without its quotes and escapes: `%2F` and `\'`.
static void copy_value(struct part value, char *to, size_t size) {
  size_t count = 0;
  for (const char *at = value.start; at < value.end && count + 1 < size; at++) {
    if (*at == '%' && at + 2 < value.end && digit(at[1]) >= 0 && digit(at[2]) >= 0) {
      to[count++] = (char)(digit(at[1]) * 16 + digit(at[2]));
      at += 2;
    } else if (*at != '\\' || at + 1 == value.end) {
      to[count++] = *at;
    }
  }
  to[count] = 0;
}

struct tags {
  char file[1024];
  char controller[256];
  char action[256];
  char route[512];
  char kept[2048];
  uint64_t line;
};

static bool is_equal(struct part key, const char *name) {
  return (size_t)(key.end - key.start) == strlen(name) &&
         strncmp(key.start, name, strlen(name)) == 0;
}

// Comments that differ from request to request would make each request a separate caller.
static bool is_of_one_request(struct part key) {
  static const char *const names[] = {"traceparent", "tracestate", "request_id", "pid", "socket",
                                      "db_host", "job_id", "span_id", "trace_id"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (is_equal(key, names[i])) return true;
  return false;
}

// Parses `/app/user.rb:12:in `find'`.
static void take_location(struct tags *tags, const char *text) {
  snprintf(tags->file, sizeof tags->file, "%s", text);
  for (char *colon = strchr(tags->file, ':'); colon; colon = strchr(colon + 1, ':')) {
    if (!isdigit((unsigned char)colon[1])) continue;
    tags->line = strtoull(colon + 1, NULL, 10);
    *colon = 0;
    return;
  }
}

static void take_tag(struct tags *tags, struct part key, struct part value) {
  if (is_of_one_request(key)) return;
  char text[1024];
  copy_value(value, text, sizeof text);
  size_t used = strlen(tags->kept);
  snprintf(tags->kept + used, sizeof tags->kept - used, "%s%.*s=%s", used > 0 ? "," : "",
           (int)(key.end - key.start), key.start, text);
  if (is_equal(key, "controller")) snprintf(tags->controller, sizeof tags->controller, "%.255s", text);
  else if (is_equal(key, "action") || is_equal(key, "function") || is_equal(key, "job"))
    snprintf(tags->action, sizeof tags->action, "%.255s", text);
  else if (is_equal(key, "route")) snprintf(tags->route, sizeof tags->route, "%.511s", text);
  else if (is_equal(key, "file") || is_equal(key, "filepath") || is_equal(key, "code.filepath") ||
           is_equal(key, "source_location"))
    take_location(tags, text);
  else if (is_equal(key, "line") || is_equal(key, "lineno")) {
    if (isdigit((unsigned char)text[0])) tags->line = strtoull(text, NULL, 10);
    else take_location(tags, text);
  }
}

static void take_tags(struct tags *tags, struct part list) {
  const char *at = list.start;
  while (at < list.end) {
    struct part key = {at, at};
    while (key.end < list.end && *key.end != '=' && *key.end != ':' && *key.end != ',') key.end++;
    if (key.end == list.end || *key.end == ',') return;
    struct part value = {key.end + 1, key.end + 1};
    bool is_quoted = value.start < list.end && *value.start == '\'';
    if (is_quoted) value.start = ++value.end;
    while (value.end < list.end && (is_quoted ? *value.end != '\'' || value.end[-1] == '\\' : *value.end != ','))
      value.end++;
    take_tag(tags, trimmed(key), trimmed(value));
    at = value.end;
    while (at < list.end && *at != ',') at++;
    at++;
  }
}

bool comment_caller(const char *sql, struct caller_event *caller, char *buffer, size_t size) {
  struct part rest, comments[MAX_COMMENTS];
  bool has_semicolon;
  int count = split(sql, strlen(sql), &rest, comments, &has_semicolon);
  if (count == 0) return false;
  struct tags tags;
  memset(&tags, 0, sizeof tags);
  for (int i = 0; i < count; i++) take_tags(&tags, comments[i]);
  if (!tags.kept[0]) return false;
  const char *name = tags.action[0] ? tags.action : tags.route;
  snprintf(buffer, size / 3, "%s", tags.file);
  snprintf(buffer + size / 3, size / 3, "%s%s%s", tags.controller,
           tags.controller[0] && *name ? "#" : "", name);
  snprintf(buffer + size / 3 * 2, size / 3, "%s", tags.kept);
  caller->language = "sql";
  caller->file = buffer;
  caller->line = tags.line;
  caller->function = buffer + size / 3;
  caller->frames = buffer + size / 3 * 2;
  return true;
}
