// SPDX-License-Identifier: Apache-2.0

// Which files of Python are the program's own, by their paths.

#define _GNU_SOURCE
#include "caller-python-files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash.h"

// What follows the last folder that package managers install into, or NULL.
static const char *installed_part(const char *file) {
  // A wheel or an egg that is not unpacked into site-packages: pex, setuptools.
  static const char *const folders[] = {"/site-packages/", "/dist-packages/", ".whl/", ".egg/"};
  const char *part = NULL;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    for (const char *at = file; (at = strstr(at, folders[i]));) {
      at += strlen(folders[i]);
      if (!part || at > part) part = at;
    }
  return part;
}

// Installed drivers and libraries that make SQL. An installed program is of more interest than they are.
static bool is_database_library(const char *installed) {
  static const char *const names[] = {
      "pysqlite3/", "pysqlite2/", "apsw/", "sqlean/", "aiosqlite/", "sqlalchemy/", "flask_sqlalchemy/",
      "sqlmodel/", "alembic/", "django/", "rest_framework/", "peewee", "playhouse/", "pony/", "tortoise/",
      "sqlite_utils/", "databases/", "piccolo/", "dataset/", "pandas/", "asgiref/"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(installed, names[i], strlen(names[i])) == 0) return true;
  return false;
}

// Python's own modules: lib/python3.11/threading.py, lib64/python3.12/, lib/pypy3.9/.
static bool is_of_python(const char *file) {
  static const char *const folders[] = {"/lib/python", "/lib64/python", "/lib/pypy"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const char *version = strstr(file, folders[i]);
    if (version && (version += strlen(folders[i]))[0] >= '2' && version[0] <= '9') return true;
  }
  return false;
}

static bool ends_with(const char *file, const char *end) {
  size_t length = strlen(file), count = strlen(end);
  return length >= count && memcmp(file + length - count, end, count) == 0;
}

bool works_for_futures(const char *file) {
  static const char *const names[] = {
      "/aiosqlite/core.py", "/concurrent/futures/thread.py", "/asgiref/current_thread_executor.py"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (ends_with(file, names[i])) return true;
  return false;
}

bool runs_in_greenlets(const char *file) {
  return ends_with(file, "/sqlalchemy/util/concurrency.py") || ends_with(file, "/sqlalchemy/util/_concurrency_py3k.py");
}

// Code that was made at run time; the cells of IPython are the program's.
static bool is_generated(const char *file) {
  return file[0] == '<' && strncmp(file, "<ipython-input", 14) != 0;
}

// The parts of paths in STORE_CALLERS_SKIP, with a 0 behind each and an empty one at the end.
static char skipped[1024];

void python_files_start(void) {
  const char *setting = getenv("STORE_CALLERS_SKIP");
  char *to = skipped, *end = skipped + sizeof skipped - 2;
  for (; setting && *setting && to < end; setting++) {
    if (*setting != ':') *to++ = *setting;
    if (*setting == ':' && to > skipped && to[-1] != 0) *to++ = 0;
  }
}

// Whether the program names it as one of its own helpers, whose callers are of more interest.
static bool is_skipped(const char *file) {
  for (const char *part = skipped; *part; part += strlen(part) + 1)
    if (strstr(file, part)) return true;
  return false;
}

int rank_of_python_file(const char *file) {
  if (is_generated(file)) return 1;
  const char *installed = installed_part(file);
  if (installed) return is_database_library(installed) ? 1 : 2;
  if (is_of_python(file)) return 1;
  if (is_skipped(file)) return 2;
  return is_launcher(file) ? 0 : 3;
}

static bool is_in_bin(const char *file) {
  const char *slash = strrchr(file, '/');
  if (!slash || slash - file < 3 || strncmp(slash - 3, "bin", 3) != 0) return false;
  return slash - file == 3 || slash[-4] == '/';
}

// Whether a script contains nothing but the call of an installed package, as package managers write it.
static bool starts_package(const char *file) {
  char text[4096];
  int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  ssize_t count = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  if (count <= 0 || count == sizeof text - 1) return false;
  text[count] = 0;
  if (strncmp(text, "#!", 2) != 0 || !strstr(text, "__main__")) return false;
  // Of setuptools, which defines a function.
  if (strstr(text, "load_entry_point") || strstr(text, "EASY-INSTALL")) return true;
  return !strstr(text, "\ndef ") && !strstr(text, "\nclass ") && !strstr(text, "sqlite3");
}

// Whether a file is a script that only starts a package, such as bin/gunicorn. A process has one at most:
// the result for the last file is kept.
bool is_launcher(const char *file) {
  static uint64_t known;
  if (!is_in_bin(file)) return false;
  uint64_t hash = hash_bytes(file, strlen(file), 17) | 2;
  uint64_t last = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if ((last | 1) == (hash | 1)) return last & 1;
  bool is_found = starts_package(file);
  __atomic_store_n(&known, (hash & ~(uint64_t)1) | is_found, __ATOMIC_RELAXED);
  return is_found;
}
