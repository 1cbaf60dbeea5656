// SPDX-License-Identifier: Apache-2.0

// Which files are libraries, by their paths: one list for the probe, which reads the lines of interpreters, and for the
// reports, which find those of native programs.

#ifndef CSourceFiles_h
#define CSourceFiles_h

#include <stdbool.h>
#include <stddef.h>

enum CSourceFiles_language {
  // C, C++, Go, Rust, Swift.
  CSourceFiles_native = 1,
  // Executables and shared libraries, which have no lines of their own.
  CSourceFiles_module = 2,
  CSourceFiles_python = 4,
  CSourceFiles_php = 8,
  CSourceFiles_ruby = 16,
  CSourceFiles_javascript = 32,
  CSourceFiles_perl = 64,
  CSourceFiles_tcl = 128,
};

enum CSourceFiles_kind {
  // Part of a language, generated at run time, a driver of a database, or a library that makes SQL.
  CSourceFiles_runtime = 1,
  // Another installed package, which may be a program.
  CSourceFiles_package = 2,
  CSourceFiles_program = 3,
};

// Classifies a file. `package`, if it is not NULL, is set to the name of its package within the path, or to NULL.
enum CSourceFiles_kind CSourceFiles_classify(const char *path, enum CSourceFiles_language language, const char **package);

// Whether a package starts the programs of others, such as a server or a test runner.
bool CSourceFiles_starts_programs(const char *package, size_t length);

// Whether a function is SQLite's own, by its name or by the file that it was compiled from; either may be "".
bool CSourceFiles_is_of_sqlite(const char *function, const char *path);

#endif
