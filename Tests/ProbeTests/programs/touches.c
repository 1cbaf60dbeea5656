// SPDX-License-Identifier: Apache-2.0

// Does the operation of its second argument on a database that it has open in SQLite, or one that must not be
// reported. A third argument is the number of other files that it opens before.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path;
static char name[4096], other[4096];
static int held;

static void handle(int signal) {
  (void)signal;
  close(open(path, O_RDONLY));
}

static int do_it(const char *what) {
  int null = open("/dev/null", O_RDONLY);
  if (!strcmp(what, "open")) return close(open(path, O_RDONLY));
  if (!strcmp(what, "openat")) return close(openat(AT_FDCWD, path, O_RDONLY));
  if (!strcmp(what, "open_link")) return symlink(path, other) ? -1 : close(open(other, O_RDONLY));
  if (!strcmp(what, "fopen")) return fclose(fopen(path, "r"));
  if (!strcmp(what, "freopen")) return fclose(freopen("/dev/null", "r", fopen(path, "r")));
  if (!strcmp(what, "dup")) return close(dup(held));
  if (!strcmp(what, "dup2")) return dup2(null, open(path, O_RDONLY));
  if (!strcmp(what, "dup3")) return dup3(null, open(path, O_RDONLY), O_CLOEXEC);
  if (!strcmp(what, "close_range")) { int file = open(path, O_RDONLY); return close_range(file, file, 0); }
  if (!strcmp(what, "opened_before")) return close(held);
  if (!strcmp(what, "signal")) return signal(SIGUSR1, handle), raise(SIGUSR1);
  if (!strcmp(what, "truncate_on_open")) return close(open(path, O_RDWR | O_TRUNC));
  if (!strcmp(what, "fopen_w")) return fclose(fopen(path, "w"));
  if (!strcmp(what, "creat")) return close(creat(path, 0600));
  if (!strcmp(what, "truncate")) return truncate(path, 100);
  if (!strcmp(what, "ftruncate")) return ftruncate(held, 100);
  if (!strcmp(what, "unlink_wal")) return snprintf(name, sizeof name, "%s-wal", path), unlink(name);
  if (!strcmp(what, "unlinkat")) return unlinkat(AT_FDCWD, path, 0);
  if (!strcmp(what, "remove")) return remove(path);
  if (!strcmp(what, "rename")) return rename(path, other);
  if (!strcmp(what, "renameat")) return renameat(AT_FDCWD, path, AT_FDCWD, other);
  if (!strcmp(what, "renameat2")) return renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_NOREPLACE);
  if (!strcmp(what, "replace")) { close(creat(other, 0600)); return rename(other, path); }
  if (!strcmp(what, "syscalls")) return syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, path, O_RDONLY));
  // What is not reported.
  if (!strcmp(what, "stat")) return access(path, R_OK);
  if (!strcmp(what, "path_only")) return close(open(path, O_PATH));
  if (!strcmp(what, "held")) return open(path, O_RDONLY) < 0;
  if (!strcmp(what, "unlink_link")) return link(path, other) ? -1 : unlink(other);
  if (!strcmp(what, "vfork")) { if (vfork() == 0) { close(open(path, O_RDONLY)); _exit(0); } return wait(NULL) < 0; }
  if (!strcmp(what, "fork")) { if (fork() == 0) { close(open(path, O_RDONLY)); _exit(0); } return wait(NULL) < 0; }
  if (!strcmp(what, "cloexec_range")) return close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
  return 0;
}

int main(int count, char **arguments) {
  sqlite3 *db;
  if (count < 3) return 2;
  path = arguments[1];
  snprintf(other, sizeof other, "%s.other", path);
  close(open(path, O_RDWR | O_CREAT, 0600));
  held = open(path, O_RDWR);
  if (sqlite3_open(path, &db) != SQLITE_OK) return 1;
  sqlite3_exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)", NULL, NULL, NULL);
  for (int i = count > 3 ? atoi(arguments[3]) : 0; i > 0; i--) close(open("/dev/null", O_RDONLY));
  int result = do_it(arguments[2]);
  sqlite3_exec(db, "SELECT a FROM t", NULL, NULL, NULL);
  sqlite3_close(db);
  // Of a database that is closed.
  close(open(path, O_RDONLY));
  unlink(path);
  return result < 0 ? 1 : 0;
}
