// SPDX-License-Identifier: Apache-2.0

// Which files of interpreters are the program's own, by their paths and by the script that was started.

#include "caller-files.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "caller-frozen.h"
#include "caller-started.h"
#include "hash.h"
#include "process.h"
#include "settings.h"

// The parts of paths in STORE_CALLERS_SKIP, with a 0 behind each and an empty one at the end.
static char skipped[1024];

void caller_files_start(void) {
  const char *value = setting("STORE_CALLERS_SKIP");
  char *to = skipped, *end = skipped + sizeof skipped - 2;
  for (; value && *value && to < end; value++) {
    if (*value != ':') *to++ = *value;
    if (*value == ':' && to > skipped && to[-1] != 0) *to++ = 0;
  }
  find_started_package();
}

const char *without_start_folder(const char *file) {
  const char *folder = start_folder();
  size_t length = strlen(folder);
  return length > 1 && strncmp(file, folder, length) == 0 ? file + length : file;
}

// Whether the program names it as one of its own helpers, so that their callers are reported.
static bool is_skipped(const char *file) {
  for (const char *part = skipped; *part; part += strlen(part) + 1)
    if (strstr(file, part)) return true;
  return false;
}

static int find_rank(const char *file, enum CSourceFiles_language language) {
  const char *package;
  if (is_frozen_library(file, language)) return RANK_RUNTIME;
  enum CSourceFiles_kind kind = CSourceFiles_classify(file, language, &package);
  bool is_started = package && is_of_started_package(package);
  if (kind != CSourceFiles_program && !is_started) return kind == CSourceFiles_runtime ? RANK_RUNTIME : RANK_PACKAGE;
  if (is_skipped(file)) return RANK_PACKAGE;
  return language == CSourceFiles_python && is_launcher(file) ? RANK_LAUNCHER : RANK_PROGRAM;
}

enum { KNOWN = 1024 };

// The ranks of files are kept, in the last three bits of hashes of their paths: a stack has up to 100 files.
int rank_of_file(const char *file, enum CSourceFiles_language language) {
  static uint64_t known[KNOWN];
  uint64_t hash = hash_bytes(file, strlen(file), language) | 8;
  uint64_t *slot = &known[(hash >> 8) % KNOWN];
  uint64_t last = __atomic_load_n(slot, __ATOMIC_RELAXED);
  if ((last ^ hash) < 8) return (int)(last & 7);
  int rank = find_rank(file, language);
  __atomic_store_n(slot, (hash & ~(uint64_t)7) | (unsigned)rank, __ATOMIC_RELAXED);
  return rank;
}
