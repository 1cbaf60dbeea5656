// SPDX-License-Identifier: Apache-2.0

#include "CSourceFiles.h"

#include <string.h>

#define NATIVE CSourceFiles_native
#define MODULE CSourceFiles_module
#define PYTHON CSourceFiles_python
#define PHP CSourceFiles_php
#define RUBY CSourceFiles_ruby
#define JAVASCRIPT CSourceFiles_javascript
#define PERL CSourceFiles_perl
#define TCL CSourceFiles_tcl
#define RUNTIME CSourceFiles_runtime
#define PACKAGE CSourceFiles_package

// MARK: - Folders

// `#` stands for a digit, and `*` for any text within a component, with which the package's name begins. What begins
// with `^` is the beginning of a path.
static const struct folder {
  const char *pattern;
  unsigned languages;
  enum CSourceFiles_kind kind;
} folders[] = {
    // The system's, and Swift's toolchain as it was built.
    {"^/lib/", MODULE, RUNTIME},
    {"^/lib64/", MODULE, RUNTIME},
    {"^/lib32/", MODULE, RUNTIME},
    {"/usr/lib64/", MODULE, RUNTIME},
    {"/usr/local/lib/", MODULE, RUNTIME},
    {"/usr/lib/", NATIVE | MODULE, RUNTIME},
    {"/usr/include/", NATIVE, RUNTIME},
    {"/usr/local/include/", NATIVE, RUNTIME},
    {"/usr/src/", NATIVE, RUNTIME},
    {"/home/build-user/", NATIVE, RUNTIME},
    {"<compiler-generated>", NATIVE, RUNTIME},
    // SwiftPM and Cargo; Rust.
    {"/checkouts/", NATIVE, PACKAGE},
    {"/.cargo/", NATIVE, PACKAGE},
    {"/cargo/registry/", NATIVE, PACKAGE},
    {"/rustc/", NATIVE, RUNTIME},
    {"/rustlib/", NATIVE, RUNTIME},
    // Go, also with -trimpath.
    {"/pkg/mod/", NATIVE, PACKAGE},
    {"@v#", NATIVE, PACKAGE},
    {"^/_/", NATIVE, PACKAGE},
    {"/usr/local/go/", NATIVE, RUNTIME},
    {"/usr/share/gocode/", NATIVE, PACKAGE},
    {"/usr/share/go-#", NATIVE, RUNTIME},
    // CMake, vcpkg, Conan, and copies in the project.
    {"/_deps/", NATIVE, PACKAGE},
    {"/vcpkg/", NATIVE, PACKAGE},
    {"/vcpkg_installed/", NATIVE, PACKAGE},
    {"/.conan", NATIVE, PACKAGE},
    {"/third_party/", NATIVE, PACKAGE},
    {"/third-party/", NATIVE, PACKAGE},
    {"/vendor/", NATIVE | PHP | RUBY, PACKAGE},
    // Python. A wheel or an egg may not be unpacked: pex, setuptools. IPython's cells are the program's.
    {"/site-packages/", NATIVE | MODULE | PYTHON, PACKAGE},
    {"/dist-packages/", NATIVE | MODULE | PYTHON, PACKAGE},
    {".whl/", PYTHON, PACKAGE},
    {".egg/", PYTHON, PACKAGE},
    {"/lib/python#", PYTHON, RUNTIME},
    {"/lib64/python#", PYTHON, RUNTIME},
    {"/lib/pypy#", PYTHON, RUNTIME},
    {"^<", PYTHON | RUBY, RUNTIME},
    {"^<ipython-input", PYTHON, CSourceFiles_program},
    // PHP: PEAR, and Debian's packages.
    {"/usr/share/php/", PHP, PACKAGE},
    {"/share/pear/", PHP, PACKAGE},
    // Ruby: gems of any installation, of Bundler from git, and of Debian.
    {"/gems/*-#", NATIVE | RUBY, PACKAGE},
    {"/bundler/gems/", NATIVE | RUBY, PACKAGE},
    {"/lib/ruby/vendor_ruby/", RUBY, PACKAGE},
    {"/lib/ruby/site_ruby/", RUBY, PACKAGE},
    {"/lib/ruby/#", RUBY, RUNTIME},
    {"/lib64/ruby/", RUBY, RUNTIME},
    // JavaScript. `node:internal/modules/cjs/loader` and `node:sqlite` are part of Node.
    {"/node_modules/", NATIVE | JAVASCRIPT, PACKAGE},
    {"/usr/share/nodejs/", JAVASCRIPT, PACKAGE},
    {"^node:", JAVASCRIPT, RUNTIME},
    // Perl: of Debian, of perlbrew and of local::lib.
    {"/share/perl5/", PERL, PACKAGE},
    {"/perl5/#", PERL, PACKAGE},
    {"/lib/perl5/", PERL, PACKAGE},
    {"/site_perl/", PERL, PACKAGE},
    {"/vendor_perl/", PERL, PACKAGE},
    {"/share/perl/", PERL, RUNTIME},
    {"/perl/#", PERL, RUNTIME},
    {"/perl-base/", PERL, RUNTIME},
    {"^(eval", PERL | RUBY, RUNTIME},
    // Tcl.
    {"/share/tcltk/", TCL, PACKAGE},
    {"/lib/tcl#", TCL, PACKAGE},
};

// Drivers, and libraries that make SQL. An installed program is of more interest than they are.
static const struct {
  const char *name;
  unsigned languages;
} database_packages[] = {
    {"pysqlite3/", PYTHON},
    {"pysqlite2/", PYTHON},
    {"apsw/", PYTHON},
    {"sqlean/", PYTHON},
    {"aiosqlite/", PYTHON},
    {"sqlalchemy/", PYTHON},
    {"flask_sqlalchemy/", PYTHON},
    {"sqlmodel/", PYTHON},
    {"alembic/", PYTHON},
    {"django/", PYTHON},
    {"rest_framework/", PYTHON},
    {"peewee", PYTHON},
    {"playhouse/", PYTHON},
    {"pony/", PYTHON},
    {"tortoise/", PYTHON},
    {"sqlite_utils/", PYTHON},
    {"databases/", PYTHON},
    {"piccolo/", PYTHON},
    {"dataset/", PYTHON},
    {"pandas/", PYTHON},
    {"asgiref/", PYTHON},
    {"doctrine/", PHP},
    {"Doctrine/", PHP},
    {"illuminate/", PHP},
    {"laravel/framework/", PHP},
    {"cakephp/", PHP},
    {"yiisoft/", PHP},
    {"propel/", PHP},
    {"nette/database/", PHP},
    {"dibi/", PHP},
    {"catfan/medoo/", PHP},
    {"gabordemooij/redbean/", PHP},
    // With a version as gems, without one as packages of Debian.
    {"sqlite3", RUBY},
    {"extralite", RUBY},
    {"sequel", RUBY},
    {"active_record", RUBY},
    {"active_support", RUBY},
    {"active_model", RUBY},
    {"activerecord-", RUBY},
    {"activesupport-", RUBY},
    {"activemodel-", RUBY},
    {"rom-", RUBY},
    {"dm-", RUBY},
    {"better-sqlite3/", JAVASCRIPT},
    {"sqlite3/", JAVASCRIPT},
    {"sqlite/", JAVASCRIPT},
    {"knex/", JAVASCRIPT},
    {"sequelize/", JAVASCRIPT},
    {"typeorm/", JAVASCRIPT},
    {"drizzle-orm/", JAVASCRIPT},
    {"kysely/", JAVASCRIPT},
    {"objection/", JAVASCRIPT},
    {"bookshelf/", JAVASCRIPT},
    {"@prisma/", JAVASCRIPT},
    {"@mikro-orm/", JAVASCRIPT},
    {"@libsql/", JAVASCRIPT},
    {"DBI", PERL},
    {"DBD/", PERL},
    {"DBIx/", PERL},
    {"SQL/", PERL},
    {"Rose/DB", PERL},
};

// Returns where the package's name begins if a pattern matches at a position, otherwise NULL.
static const char *match(const char *pattern, const char *at) {
  for (; *pattern; pattern++, at++) {
    if (*pattern == '*') {
      for (const char *rest = at; *rest && *rest != '/'; rest++)
        if (match(pattern + 1, rest)) return at;
      return NULL;
    }
    if (*pattern == '#' ? *at < '0' || *at > '9' : *pattern != *at) return NULL;
  }
  return at;
}

// The last position in a path at which a pattern matches.
static const char *last_match(const char *pattern, const char *path) {
  if (*pattern == '^') return match(pattern + 1, path);
  const char *last = NULL;
  for (const char *at = path; (at = strchr(at, *pattern)); at++) {
    const char *name = match(pattern, at);
    if (name) last = name;
  }
  return last;
}

// Go's own packages, with -trimpath: `database/sql/sql.go`. Other modules begin with a domain or are the program's.
static bool is_of_go(const char *path) {
  static const char *const packages[] = {"database/", "runtime/", "internal/", "net/", "sync/", "context/", "testing/"};
  if (strncmp(path, "./", 2) == 0) path += 2;
  size_t length = strlen(path);
  if (length < 3 || strcmp(path + length - 3, ".go") != 0) return false;
  for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
    if (strncmp(path, packages[i], strlen(packages[i])) == 0) return true;
  return false;
}

static bool is_database_package(const char *name, enum CSourceFiles_language language) {
  for (size_t i = 0; i < sizeof database_packages / sizeof *database_packages; i++)
    if ((database_packages[i].languages & language) != 0 &&
        strncmp(name, database_packages[i].name, strlen(database_packages[i].name)) == 0)
      return true;
  return false;
}

enum CSourceFiles_kind CSourceFiles_classify(const char *path, enum CSourceFiles_language language, const char **package) {
  // The innermost folder decides: /usr/lib/python3/dist-packages, lib/ruby/gems/3.1.0/gems/rake-13.0/.
  const char *innermost = NULL;
  enum CSourceFiles_kind kind = CSourceFiles_program;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    if ((folders[i].languages & language) == 0) continue;
    const char *name = last_match(folders[i].pattern, path);
    if (!name || name < innermost) continue;
    innermost = name;
    kind = folders[i].kind;
  }
  bool is_package = kind == PACKAGE;
  if (package) *package = is_package ? innermost : NULL;
  if (kind == CSourceFiles_program && language == NATIVE && is_of_go(path)) return RUNTIME;
  return is_package && is_database_package(innermost, language) ? RUNTIME : kind;
}

// MARK: - Packages and SQLite

bool CSourceFiles_starts_programs(const char *package, size_t length) {
  static const char *const names[] = {
      "gunicorn", "uvicorn", "hypercorn", "daphne", "waitress", "granian", "flask", "fastapi", "django", "celery", "rq",
      "huey", "dramatiq", "pytest", "_pytest", "py", "coverage", "nose2", "tox", "nox", "alembic", "IPython", "jupyter",
      "jupyter_core", "jupyterlab", "notebook", "nbclient", "nbconvert", "ipykernel_launcher", "ipykernel", "streamlit",
      "streamlit_cli", "scrapy", "airflow", "prefect", "dagster", "luigi", "invoke", "fabric", "debugpy", "cProfile"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == length && memcmp(names[i], package, length) == 0) return true;
  return false;
}

bool CSourceFiles_is_of_sqlite(const char *function, const char *path) {
  // As they are distributed, by go-sqlite3, and by the copies that encrypt.
  static const char *const names[] = {"sqlite3.c", "sqlite3.h", "sqlite3-binding.c", "sqlite3mc_amalgamation.c"};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return strncmp(function, "sqlite3", 7) == 0;
}
