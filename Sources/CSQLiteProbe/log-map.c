// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "log-map.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "state.h"

enum {
  // A process of a few statements takes little of the disk.
  FIRST_SIZE = 16 << 10,
  LARGEST_SIZE = 256 << 10,
};

static struct {
  char *bytes;
  size_t used, size;
  off_t offset;
} window;
static size_t next_size = FIRST_SIZE;
static const volatile char *mark;

bool log_map_open_mark(const char *folder) {
  char path[PATH_MAX];
  struct stat status;
  static const char *mapped;
  if (mapped) munmap((void *)mapped, 1);
  mark = mapped = NULL;
  if ((size_t)snprintf(path, sizeof path, "%s/.recording", folder) >= sizeof path) return false;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  // An older recorder's mark is empty.
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    void *page = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) mark = mapped = page;
  }
  close(file);
  return mark != NULL;
}

bool log_map_has_ended(void) { return mark && *mark != '1'; }

int64_t log_map_end(void) { return window.bytes ? window.offset + (off_t)window.used : -1; }

bool log_map_write(const char *bytes, size_t count) {
  if (window.size - window.used < count) return false;
  memcpy(window.bytes + window.used, bytes, count);
  window.used += count;
  return true;
}

// Reserves blocks, so that a full disk is no SIGBUS.
static bool reserve(int descriptor, off_t offset, size_t size) {
  sigset_t set, old, pending;
  struct timespec now = {0, 0};
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  bool was_pending = sigismember(&old, SIGXFSZ) && sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ);
  bool is_reserved = fallocate(descriptor, 0, offset, (off_t)size) == 0;
  if (!is_reserved && !was_pending) sigtimedwait(&set, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return is_reserved;
}

void log_map_forget(void) {
  window.bytes = NULL;
  window.size = window.used = 0;
  next_size = FIRST_SIZE;
}

// The rest of the last window stays NUL.
bool log_map_more(int descriptor, size_t count) {
  struct stat status;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), size = next_size;
  if (window.bytes) munmap(window.bytes, window.size);
  log_map_forget();
  if (is_filtered || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  size_t used = (size_t)status.st_size % page;
  while (size < used + count) size *= 2;
  off_t offset = status.st_size - (off_t)used;
  if (!reserve(descriptor, offset, size)) return false;
  // Its blocks stay reserved.
  void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, offset);
  if (bytes == MAP_FAILED) return false;
  window.bytes = bytes;
  window.offset = offset;
  window.used = used;
  window.size = size;
  next_size = size < LARGEST_SIZE ? size * 2 : LARGEST_SIZE;
  return true;
}

void log_map_close(int descriptor) {
  if (!window.bytes) return;
  off_t end = log_map_end();
  munmap(window.bytes, window.size);
  log_map_forget();
  // A sealed file is not changed; nor is one where the program's filter may not permit it.
  int code = is_filtered || log_map_has_ended() ? 0 : ftruncate(descriptor, end);
  (void)code;
}
