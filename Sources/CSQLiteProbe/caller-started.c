// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "caller-started.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CSourceFiles.h"

#include "process.h"

// The name of the package, or of the gem with its `-`; "" without one.
static char started[128];

static void start_package(const char *name, size_t length, char end) {
  if (length == 0 || length + 2 > sizeof started || CSourceFiles_starts_programs(name, length)) return;
  memcpy(started, name, length);
  started[length] = end;
}

// In a folder, `shop/cli.py`; with a version, `shop-1.0/lib/shop.rb`; as a single module, `shop.py`.
bool is_of_started_package(const char *package) {
  size_t length = strlen(started);
  if (length == 0 || strncmp(package, started, length) != 0) return false;
  return started[length - 1] == '-' || package[length] == '/' || package[length] == '.';
}

static bool is_in_bin(const char *file) {
  const char *slash = strrchr(file, '/');
  if (!slash || slash - file < 3 || strncmp(slash - 3, "bin", 3) != 0) return false;
  return slash - file == 3 || slash[-4] == '/';
}

// Reads a small script; returns false if it is none.
static bool read_script(const char *file, char *text, size_t size) {
  int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  ssize_t count = read(descriptor, text, size - 1);
  close(descriptor);
  if (count <= 0 || (size_t)count == size - 1) return false;
  text[count] = 0;
  return strncmp(text, "#!", 2) == 0;
}

// Whether a script contains nothing but the call of an installed package, as package managers write it.
static bool starts_package(const char *text) {
  if (!strstr(text, "__main__")) return false;
  // Of setuptools, which defines a function.
  if (strstr(text, "load_entry_point") || strstr(text, "EASY-INSTALL")) return true;
  return !strstr(text, "\ndef ") && !strstr(text, "\nclass ") && !strstr(text, "sqlite3");
}

bool is_launcher(const char *file) {
  char text[4096];
  return is_in_bin(file) && read_script(file, text, sizeof text) && starts_package(text);
}

// The package of Python in `from shop.cli import main`, or in `# EASY-INSTALL-ENTRY-SCRIPT: 'shop==1.0','console_scripts',…`.
static void find_package_of_python(const char *script) {
  char text[4096];
  if (!is_in_bin(script) || !read_script(script, text, sizeof text) || !starts_package(text)) return;
  static const char entry[] = "ENTRY-SCRIPT: '", import[] = "\nfrom ";
  char *name = strstr(text, entry);
  if (name) {
    char *end = name += sizeof entry - 1;
    for (; isalnum((unsigned char)*end) || *end == '-' || *end == '_'; end++)
      if (*end == '-') *end = '_';
    return start_package(name, (size_t)(end - name), 0);
  }
  for (name = text; (name = strstr(name, import));) {
    name += sizeof import - 1;
    size_t length = strcspn(name, ". \n");
    if (strncmp(name, "importlib", 9) != 0 && strncmp(name, "__future__", 10) != 0) return start_package(name, length, 0);
  }
}

// A script that is a file of the package, also through a link, or one that RubyGems wrote: `Gem.activate_bin_path('shop', …`.
static void find_package_of_script(const char *script, enum CSourceFiles_language language) {
  char path[PATH_MAX], text[4096];
  const char *package, *name;
  if (!realpath(script, path)) return;
  if (CSourceFiles_classify(path, language, &package) != CSourceFiles_program && package) {
    // `@scope/name` of JavaScript, `vendor/name` of PHP.
    size_t length = strcspn(package, "/");
    bool has_vendor = (package[0] == '@' || language == CSourceFiles_php) && package[length] == '/';
    return start_package(package, has_vendor ? length + 1 + strcspn(package + length + 1, "/") : length, 0);
  }
  static const char call[] = "activate_bin_path('";
  if (language == CSourceFiles_ruby && read_script(path, text, sizeof text) && (name = strstr(text, call)))
    start_package(name + sizeof call - 1, strcspn(name + sizeof call - 1, "'"), '-');
}

static enum CSourceFiles_language language_of_program(void) {
  static const struct {
    const char *name;
    enum CSourceFiles_language language;
  } interpreters[] = {{"python", CSourceFiles_python}, {"pypy", CSourceFiles_python}, {"php", CSourceFiles_php},
                      {"ruby", CSourceFiles_ruby}, {"node", CSourceFiles_javascript}};
  for (size_t i = 0; i < sizeof interpreters / sizeof *interpreters; i++)
    if (strncmp(program_name(), interpreters[i].name, strlen(interpreters[i].name)) == 0)
      return interpreters[i].language;
  return 0;
}

// Reads `python3 -X dev /srv/venv/bin/shop`, or `python3 -m shop.cli`.
void find_started_package(void) {
  static char line[8192];
  enum CSourceFiles_language language = language_of_program();
  if (!language) return;
  size_t count = read_file("/proc/self/cmdline", line, sizeof line);
  for (const char *argument = line; argument < line + count; argument += strlen(argument) + 1) {
    if (argument == line) continue;
    bool is_python = language == CSourceFiles_python;
    if (strcmp(argument, "-c") == 0 || strcmp(argument, "-e") == 0) return;
    if (is_python && strcmp(argument, "-m") == 0) {
      argument += strlen(argument) + 1;
      return start_package(argument, strcspn(argument, "."), 0);
    }
    if (argument[0] == '-' || access(argument, R_OK) != 0) continue;
    return is_python ? find_package_of_python(argument) : find_package_of_script(argument, language);
  }
}
