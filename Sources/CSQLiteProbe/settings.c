// SPDX-License-Identifier: Apache-2.0

// The settings of the recording. A recorder that attaches to a running process passes its own: the environment belongs
// to the program, and to its children.

#include "settings.h"

#include <stdlib.h>
#include <string.h>

// One string after another. Never freed: another thread may read it.
static char *attached;

void set_settings(const char *lines) {
  size_t size = lines ? strlen(lines) : 0;
  char *copy = calloc(1, size + 2);
  if (copy && lines) memcpy(copy, lines, size);
  for (char *at = copy; at && *at; at++)
    if (*at == '\n') *at = 0;
  __atomic_store_n(&attached, copy, __ATOMIC_RELEASE);
}

const char *setting(const char *name) {
  size_t length = strlen(name);
  const char *line = __atomic_load_n(&attached, __ATOMIC_ACQUIRE);
  for (; line && *line; line += strlen(line) + 1)
    if (strncmp(line, name, length) == 0 && line[length] == '=') return line + length + 1;
  return getenv(name);
}
