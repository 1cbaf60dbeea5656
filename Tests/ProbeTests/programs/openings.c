// SPDX-License-Identifier: Apache-2.0

// The cost of opening and closing a file: openings FILE ROUNDS [DATABASE [closed]] opens it 1,000 times a round, and
// prints the median of the ratios to as many openings that are not hooked, in the same round. A %d in FILE is replaced
// by 0 to 999.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_SQLITE
#include <sqlite3.h>
#endif

enum { OPENINGS = 1000, MAX_ROUNDS = 10000 };
static int (*open_directly)(const char *, int, ...);
static int (*close_directly)(int);
static char paths[OPENINGS][1024];

__attribute__((noinline)) static void hooked(void) {
  for (int i = 0; i < OPENINGS; i++)
    if (close(open(paths[i], O_RDONLY | O_CLOEXEC)) != 0) exit(1);
}

__attribute__((noinline)) static void direct(void) {
  for (int i = 0; i < OPENINGS; i++)
    if (close_directly(open_directly(paths[i], O_RDONLY | O_CLOEXEC)) != 0) exit(1);
}

static void set_paths(const char *file) {
  const char *mark = strstr(file, "%d");
  for (int i = 0; i < OPENINGS; i++)
    if (mark) snprintf(paths[i], sizeof *paths, "%.*s%d%s", (int)(mark - file), file, i, mark + 2);
    else snprintf(paths[i], sizeof *paths, "%s", file);
}

// Of this thread alone: the machine may be busy with something else.
static double time_of(void (*openings)(void)) {
  struct timespec start, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  openings();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
}

static int compare(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

int main(int count, char **arguments) {
  static double ratios[MAX_ROUNDS];
  int rounds = count < 3 ? 0 : atoi(arguments[2]);
  if (rounds < 1 || rounds > MAX_ROUNDS) return 64;
  set_paths(arguments[1]);
  // A function that is found so is not hooked.
  open_directly = dlsym(RTLD_DEFAULT, "open");
  close_directly = dlsym(RTLD_DEFAULT, "close");
#ifdef WITH_SQLITE
  sqlite3 *handle = NULL;
  if (count > 3 && (sqlite3_open(arguments[3], &handle) != SQLITE_OK ||
                    sqlite3_exec(handle, "CREATE TABLE IF NOT EXISTS t (a)", NULL, NULL, NULL) != SQLITE_OK)) return 1;
  if (count > 4) sqlite3_close(handle);
#endif
  for (int i = 0; i < rounds; i++) {
    double first = i % 2 ? time_of(direct) : 0;
    double observed = time_of(hooked);
    ratios[i] = observed / (i % 2 ? first : time_of(direct));
  }
  qsort(ratios, (size_t)rounds, sizeof *ratios, compare);
  printf("%.4f\n", ratios[rounds / 2]);
  return 0;
}
