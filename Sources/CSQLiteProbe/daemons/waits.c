// SPDX-License-Identifier: Apache-2.0

// Preloaded into LTTng's programs that a recording starts, never into a recorded program: they wait for each other by
// polls of 100 and 200 ms, and as root close 65,535 descriptors, which is most of the time around a short program.
// Delete when lttng-tools waits without polls; measured with 2.13.9.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int usleep(useconds_t microseconds) {
  struct timespec pause = {.tv_nsec = (microseconds < 1000 ? microseconds : 1000) * 1000L};
  return nanosleep(&pause, NULL);
}

// The end of a session is looked for 0.5 s later, by a timer of one shot, and the daemon's own end waits for that.
EXPORTED int timer_settime(timer_t timer, int flags, const struct itimerspec *value, struct itimerspec *old) {
  int (*next)(timer_t, int, const struct itimerspec *, struct itimerspec *) =
      (int (*)(timer_t, int, const struct itimerspec *, struct itimerspec *))dlsym(RTLD_NEXT, "timer_settime");
  struct itimerspec soon = *value;
  bool is_poll = flags == 0 && value->it_interval.tv_sec == 0 && value->it_interval.tv_nsec == 0 &&
                 value->it_value.tv_sec == 0 && value->it_value.tv_nsec > 5000000;
  if (is_poll) soon.it_value.tv_nsec = 5000000;
  if (next) return next(timer, flags, &soon, old);
  errno = ENOSYS;
  return -1;
}

// A daemon forks its worker as it starts, with few files open; the worker closes all up to this number.
EXPORTED long sysconf(int name) {
  long (*next)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
  long value = next ? next(name) : -1;
  return name == _SC_OPEN_MAX && value > 1024 ? 1024 : value;
}
