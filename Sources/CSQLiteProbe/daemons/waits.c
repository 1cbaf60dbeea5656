// SPDX-License-Identifier: Apache-2.0

// Preloaded into LTTng's programs that a recording starts, never into a recorded program: they wait for each other by
// polls of 100 and 200 ms, and as root close 65,535 descriptors, which is most of the time around a short program.
// Delete when lttng-tools waits without polls; measured with 2.13.9.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int usleep(useconds_t microseconds) {
  struct timespec pause = {.tv_nsec = (microseconds < 1000 ? microseconds : 1000) * 1000L};
  return nanosleep(&pause, NULL);
}

// A daemon forks its worker as it starts, with few files open; the worker closes all up to this number.
EXPORTED long sysconf(int name) {
  long (*next)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
  long value = next ? next(name) : -1;
  return name == _SC_OPEN_MAX && value > 1024 ? 1024 : value;
}
