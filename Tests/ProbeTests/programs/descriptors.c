// SPDX-License-Identifier: Apache-2.0

// Closes every descriptor that it did not open, opens files of its own in their place, and goes on.

#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "library.h"

int main(int count, char **arguments) {
  sqlite3 *handle;
  if (count < 2) return 64;
  int first = open("/dev/null", O_RDONLY);
  if (first != 3) {
    fprintf(stderr, "the first descriptor is %d\n", first);
    return 1;
  }
  check(sqlite3_open(":memory:", &handle), NULL);
  query(handle, "SELECT 1", 0);
  close_range(3, ~0u, 0);
  char name[4096];
  for (int i = 0; i < 600; i++) {
    snprintf(name, sizeof name, "%s/own-%d", arguments[1], i);
    if (open(name, O_RDWR | O_CREAT | O_TRUNC, 0600) < 0) return 1;
  }
  for (int i = 0; i < 100; i++) query(handle, "SELECT ?", i);
  for (int i = 0; i < 600; i++) {
    snprintf(name, sizeof name, "%s/own-%d", arguments[1], i);
    int file = open(name, O_RDONLY);
    char byte;
    if (file >= 0 && read(file, &byte, 1) == 1) {
      fprintf(stderr, "%s is not empty\n", name);
      return 1;
    }
    if (file >= 0) close(file);
  }
  check(sqlite3_close(handle), handle);
  print_counts();
  return 0;
}
