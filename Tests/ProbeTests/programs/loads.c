// SPDX-License-Identifier: Apache-2.0

// Finds SQLite with dlopen() and dlsym(), unloads it, and loads it again. Not linked with SQLite.

#include <dlfcn.h>
#include <stdio.h>

#define FIND(name) __typeof__(name) *name##_ = dlsym(library, #name)

int sqlite3_open(const char *, void **);
int sqlite3_exec(void *, const char *, int (*)(void *, int, char **, char **), void *, char **);
int sqlite3_close(void *);

int main(void) {
  int statements = 0;
  for (int round = 0; round < 3; round++) {
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library || dlerror()) return 1;
    FIND(sqlite3_open);
    FIND(sqlite3_exec);
    FIND(sqlite3_close);
    void *handle;
    if (sqlite3_open_(":memory:", &handle) != 0) return 1;
    if (sqlite3_exec_(handle, "CREATE TABLE t(a); INSERT INTO t VALUES(1)", 0, 0, 0) != 0) return 1;
    statements += 2;
    if (sqlite3_close_(handle) != 0) return 1;
    // The program has called no function of the loader that failed.
    if (dlerror() || dlclose(library) != 0) return 1;
    if (dlsym(RTLD_DEFAULT, "no_such_function") || !dlerror()) return 1;
  }
  printf("counts %d 0\n", statements);
  return 0;
}
