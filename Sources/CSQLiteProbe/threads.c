// SPDX-License-Identifier: Apache-2.0

// The threads of this process by their files in /proc: the program's, and LTTng's, which have to end.

#define _GNU_SOURCE
#include "threads.h"

#include <dirent.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process.h"

// The time between two looks at the threads, in µs.
enum { PERIOD = 10000 };

static bool is_leaving;

// Reads a file of a thread that may have ended; returns the count of bytes.
static size_t read_of_thread(const char *thread, const char *name, char *buffer, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%.20s/%s", thread, name);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  size_t count = fread(buffer, 1, size - 1, file);
  fclose(file);
  buffer[count] = 0;
  return count;
}

// LTTng names its threads `PROGRAM-ust`. One that has ended, such as the first, stays as a zombie.
static enum { OF_PROGRAM, OF_LTTNG, ENDED } kind_of(const char *thread) {
  char text[256];
  size_t count = read_of_thread(thread, "comm", text, sizeof text);
  if (count < 5) return ENDED;
  bool is_of_lttng = strcmp(text + count - 5, "-ust\n") == 0;
  // `4711 (python3) S 4710 …`
  if (read_of_thread(thread, "stat", text, sizeof text) == 0) return ENDED;
  const char *state = strrchr(text, ')');
  if (!state || !state[1] || state[2] == 'Z' || state[2] == 'X') return ENDED;
  return is_of_lttng ? OF_LTTNG : OF_PROGRAM;
}

// A thread of LTTng that must end may wait in futex() without a time limit, for a word in a page
// that all programs share. This replaces the page of this process, and wakes the thread through another
// mapping.
static void wake(const char *thread) {
  char text[256], *end;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (!is_leaving || read_of_thread(thread, "syscall", text, sizeof text) == 0) return;
  if (strtol(text, &end, 10) != SYS_futex) return;
  uintptr_t word = strtoul(end, NULL, 16);
  if (word % page != 0) return;
  void *shared = mremap((void *)word, 0, page, MREMAP_MAYMOVE);
  if (shared == MAP_FAILED) return;
  int *own = mmap((void *)word, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (own != MAP_FAILED) *own = 1;
  syscall(SYS_futex, shared, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  munmap(shared, page);
}

// Counts the program's other threads and LTTng's; returns false if they are not known.
static bool count_threads(int *others, int *of_lttng) {
  DIR *folder = opendir("/proc/self/task");
  *others = *of_lttng = 0;
  if (!folder) return false;
  for (const struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == thread_id()) continue;
    switch (kind_of(entry->d_name)) {
      case OF_PROGRAM: ++*others; break;
      case OF_LTTNG:
        ++*of_lttng;
        wake(entry->d_name);
        break;
      case ENDED: break;
    }
  }
  closedir(folder);
  return true;
}

static bool has_other_threads(void) {
  int others, of_lttng;
  return !count_threads(&others, &of_lttng) || others > 0;
}

void wait_for_lttng_threads(void) {
  int others, of_lttng;
  is_leaving = true;
  for (int i = 0; i < 100 && count_threads(&others, &of_lttng) && of_lttng > 0; i++) usleep(PERIOD);
}

void wait_for_program_threads(void) {
  while (has_other_threads()) usleep(PERIOD);
}
