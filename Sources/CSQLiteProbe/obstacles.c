// SPDX-License-Identifier: Apache-2.0

// Whether LTTng fits into this process, decided before it is loaded: it adds two threads, mappings and descriptors, and
// makes system calls.

#define _GNU_SOURCE
#include "obstacles.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "process.h"
#include "state.h"

static const uint64_t mebibyte = 1 << 20;

enum {
  // Numbers of /proc/self/statm, in pages.
  SIZE_FIELD = 0, DATA_FIELD = 5,
  // In MiB: buffers of 128 MiB in each of some sessions, two stacks, and the heaps of two threads.
  ADDRESSES = 1024, DATA = 128,
  // LTTng's two threads, and as many again as a small program starts.
  THREADS = 8,
};

static uint64_t pages_of(int field) {
  char numbers[256];
  if (read_file("/proc/self/statm", numbers, sizeof numbers) == 0) return 0;
  char *at = numbers;
  uint64_t number = 0;
  for (int i = 0; i <= field; i++) number = strtoull(at, &at, 10);
  return number;
}

static bool has_memory(int resource, int field, uint64_t mebibytes) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  return limit.rlim_cur >= pages_of(field) * (uint64_t)sysconf(_SC_PAGESIZE) + mebibytes * mebibyte;
}

static uint64_t used_descriptors(void) {
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return UINT64_MAX;
  // `.`, `..` and the folder's own are no descriptors of the program.
  uint64_t count = 0;
  while (readdir(folder)) count++;
  closedir(folder);
  return count - 3;
}

// LTTng has two descriptors for each processor in each of a session's channels; two thirds of the free descriptors
// stay free.
static bool has_descriptors(void) {
  struct rlimit limit;
  uint64_t needed = 16 + 4 * (uint64_t)sysconf(_SC_NPROCESSORS_CONF), used = used_descriptors();
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && used < limit.rlim_cur && limit.rlim_cur - used >= 3 * needed;
}

// The number in a file of the process's control group; `otherwise` if there is none, as for `max`.
static long number_of_group(const char *name, long otherwise) {
  char group[1024], path[1400], text[64], *end;
  if (read_file("/proc/self/cgroup", group, sizeof group) == 0) return otherwise;
  // `0::/system.slice/shop.service`
  char *own = strstr(group, "0::/");
  if (!own) return otherwise;
  own[strcspn(own, "\n")] = 0;
  snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", own + 3, name);
  if (read_file(path, text, sizeof text) == 0) return otherwise;
  long number = strtol(text, &end, 10);
  return end > text ? number : otherwise;
}

// Whether the limits of the user and of the control group may be near. All threads of the host are counted for the
// user's: `0.20 0.18 0.12 1/80 11206`.
static bool are_threads_scarce(void) {
  char load[128];
  struct rlimit limit;
  const char *total = read_file("/proc/loadavg", load, sizeof load) > 0 ? strchr(load, '/') : NULL;
  if (getrlimit(RLIMIT_NPROC, &limit) != 0 || !total) return true;
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < strtoul(total + 1, NULL, 10) + THREADS) return true;
  return number_of_group("pids.max", LONG_MAX) - number_of_group("pids.current", 0) < THREADS;
}

static void *wait_for_gate(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

static bool has_threads(void) {
  if (!are_threads_scarce()) return true;
  // A trial: the limits also count threads of other processes.
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t threads[THREADS];
  int count = 0;
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_mutex_lock(&gate);
  while (count < THREADS && pthread_create(&threads[count], NULL, wait_for_gate, &gate) == 0) count++;
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return count == THREADS;
}

// The count of filters of a process; 0 if it is not known.
static long filters_of(const char *status_file) {
  char status[8192];
  if (read_file(status_file, status, sizeof status) == 0) return 0;
  const char *line = strstr(status, "\nSeccomp_filters:");
  if (line) return strtol(line + strlen("\nSeccomp_filters:"), NULL, 10);
  // Before Linux 5.9.
  return strstr(status, "\nSeccomp:\t2") != NULL;
}

// Whether another program added a filter before it executed this one. The filters of the recorder permit
// the calls of a program with threads and sockets, as do a container's, which its first process has too.
static bool has_inherited_filter(void) {
  const char *recorder = getenv("STORE_TRACE_FILTERS");
  long own = filters_of("/proc/self/status");
  return own > 0 && own > (recorder ? atol(recorder) : 0) && own > filters_of("/proc/1/status");
}

const char restricted_calls[] = "a seccomp filter may end the program at a call of LTTng";

const char *lttng_obstacle(void) {
  if (is_filtered || has_inherited_filter()) return restricted_calls;
  // They count the threads of a process, and report LTTng's at the end of its children.
  if (dlsym(RTLD_DEFAULT, "__tsan_init")) return "ThreadSanitizer does not support the threads of LTTng";
  if (dlsym(RTLD_DEFAULT, "__asan_init")) return "AddressSanitizer does not support the threads of LTTng";
  if (!has_descriptors()) return "the limit of open files (ulimit -n) leaves no room for LTTng";
  if (!has_memory(RLIMIT_AS, SIZE_FIELD, ADDRESSES)) return "the limit of memory (ulimit -v) leaves no room for LTTng";
  if (!has_memory(RLIMIT_DATA, DATA_FIELD, DATA)) return "the limit of data (ulimit -d) leaves no room for LTTng";
  return has_threads() ? NULL : "the limit of threads (ulimit -u) leaves no room for LTTng";
}
