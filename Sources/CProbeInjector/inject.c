// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CProbeInjector.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)

#include "borrowed.h"
#include "safe-point.h"

// In µs, between two looks at the threads.
enum { PAUSE = 2000 };

static uintptr_t find_in_libc(const struct remote *remote, const char *name) {
  for (size_t i = 0; i < remote->object_count; i++) {
    if (remote->objects[i].kind != OBJECT_LIBC) continue;
    uintptr_t function = remote_function(&remote->objects[i], name);
    if (function) return function;
  }
  return 0;
}

// The instructions that end a signal handler.
static uintptr_t find_restorer(const struct remote *remote) {
  for (size_t i = 0; i < remote->object_count; i++) {
    if (remote->objects[i].kind != OBJECT_LIBC) continue;
    uintptr_t found = remote_find(remote, &remote->objects[i], "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9);
    if (found) return found;
  }
  return 0;
}

static bool find_functions(const struct remote *remote, struct functions *functions) {
  unsigned char code[64];
  uintptr_t caller = find_in_libc(remote, "syscall");
  functions->error_location = find_in_libc(remote, "__errno_location");
  functions->open = find_in_libc(remote, "dlopen");
  functions->find = find_in_libc(remote, "dlsym");
  // Before glibc 2.34 in a library that the program may not have.
  if (!functions->open) functions->open = find_in_libc(remote, "__libc_dlopen_mode");
  if (!functions->find) functions->find = find_in_libc(remote, "__libc_dlsym");
  functions->restorer = find_restorer(remote);
  if (!caller || !functions->error_location || !functions->open || !functions->find) return false;
  if (!remote_read(remote, caller, code, sizeof code)) return false;
  const unsigned char *found = memmem(code, sizeof code, "\x0f\x05", 2);
  functions->gadget = found ? caller + (uintptr_t)(found - code) : 0;
  return found != NULL && functions->restorer != 0;
}

// MARK: - The choice of a thread

struct choice {
  struct stopped_thread thread;
  bool is_found, is_blocked, is_permitted;
  pid_t other;
  enum location location;
};

static bool has_lock(enum location location) {
  return location == LOCATION_LOADER || location == LOCATION_ALLOCATOR || location == LOCATION_FORK;
}

static void examine(const struct remote *remote, pid_t id, struct choice *choice) {
  struct stopped_thread stopped;
  bool waits_for_lock = false;
  switch (stop_thread(remote->process, id, &stopped)) {
    case THREAD_GONE: return;
    case THREAD_NOT_PERMITTED: choice->is_permitted = false; return;
    case THREAD_RUNS:
      choice->is_blocked = true;
      choice->other = id;
      choice->location = LOCATION_FORK;
      return;
    case THREAD_STOPPED: break;
  }
  enum location location = location_of(remote, &stopped, &waits_for_lock);
  if (location == LOCATION_SAFE && !choice->is_found) {
    choice->is_found = true;
    choice->thread = stopped;
    return;
  }
  if (location != LOCATION_SAFE && !choice->is_blocked) {
    choice->other = id;
    choice->location = location;
  }
  // One that waits in the kernel may wait for long.
  if (has_lock(location) && stopped.is_in_call && !waits_for_lock) choice->is_blocked = true;
  resume_thread(&stopped);
}

static void choose(const struct remote *remote, bool spares_parents, struct choice *choice) {
  char path[64];
  struct stat status;
  *choice = (struct choice){.is_permitted = true};
  snprintf(path, sizeof path, "/proc/%d/task", remote->process);
  DIR *folder = opendir(path);
  // A folder has two links, and one more for each folder in it.
  if (!folder || fstat(dirfd(folder), &status) != 0) return;
  bool is_alone = status.st_nlink <= 3;
  for (const struct dirent *entry; choice->is_permitted && (entry = readdir(folder));) {
    pid_t id = atoi(entry->d_name);
    // The end of a child interrupts calls of other threads while its parent is traced, also if SIGCHLD is ignored.
    bool is_spared = !is_alone && spares_parents && has_children(remote->process, id);
    if (id > 0 && !is_spared) examine(remote, id, choice);
  }
  closedir(folder);
  if (!choice->is_found || (!choice->is_blocked && choice->is_permitted)) return;
  resume_thread(&choice->thread);
  choice->is_found = false;
}

// MARK: - The calls

struct request {
  const char *library, *function, *argument;
  int64_t limit;
};

static int outcome_of(enum call_result result) {
  switch (result) {
    case CALL_RETURNED: return CProbeInjector_done;
    case CALL_HUNG: return CProbeInjector_hung;
    case CALL_ENDED: return CProbeInjector_ended;
    case CALL_FAULT: break;
  }
  return CProbeInjector_not_loaded;
}

static void call_on(const struct stopped_thread *thread, const struct remote *remote, const struct functions *functions,
                    const struct request *request, struct CProbeInjector_result *result) {
  static struct borrowed borrowed;
  int64_t start = now_us();
  result->outcome = CProbeInjector_not_loaded;
  if (!borrow(&borrowed, thread, remote, functions)) return;
  enum call_result call = call_library(&borrowed, request->library, request->function, request->argument,
                                       start + request->limit, &result->value);
  result->outcome = outcome_of(call);
  give_back(&borrowed, call);
  result->stopped = now_us() - start;
}

static void inject(pid_t process, const struct request *request, struct CProbeInjector_result *result) {
  struct remote remote;
  struct functions functions;
  struct choice choice = {.is_permitted = true};
  errno = 0;
  if (!remote_open(&remote, process)) {
    result->error = errno;
    result->outcome = kill(process, 0) != 0 && errno == ESRCH ? CProbeInjector_ended : CProbeInjector_not_permitted;
  } else if (!find_functions(&remote, &functions)) {
    snprintf(result->detail, sizeof result->detail, "it has no C library of GNU");
    result->outcome = CProbeInjector_not_possible;
  } else {
    int64_t deadline = now_us() + request->limit;
    while (choice.is_permitted && !choice.is_found && now_us() < deadline && kill(process, 0) == 0) {
      choose(&remote, now_us() < deadline - request->limit / 2, &choice);
      if (!choice.is_found) usleep(PAUSE);
    }
    result->error = choice.is_permitted ? 0 : EPERM;
    if (choice.is_found) call_on(&choice.thread, &remote, &functions, request, result);
    else if (!choice.is_permitted) result->outcome = CProbeInjector_not_permitted;
    else if (kill(process, 0) != 0) result->outcome = CProbeInjector_ended;
    else result->outcome = CProbeInjector_no_safe_point;
    if (result->outcome == CProbeInjector_no_safe_point)
      snprintf(result->detail, sizeof result->detail, "thread %d is %s", choice.other,
               name_of_location(choice.location));
  }
  remote_close(&remote);
}

// In a process of its own: the kernel releases all threads when it ends, and no signal for us interrupts it.
struct CProbeInjector_result CProbeInjector_call(
    pid_t process, const char *library, const char *function, const char *argument, int milliseconds) {
  struct CProbeInjector_result result = {.outcome = CProbeInjector_not_possible};
  struct request request = {library, function, argument, (int64_t)milliseconds * 1000};
  int ends[2], status;
  sigset_t all, old;
  if (pipe(ends) != 0) return result;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &old);
  pid_t child = fork();
  if (child == 0) {
    setsid();
    interrupt_waits();
    inject(process, &request, &result);
    ssize_t count = write(ends[1], &result, sizeof result);
    _exit(count != sizeof result);
  }
  sigprocmask(SIG_SETMASK, &old, NULL);
  close(ends[1]);
  if (child > 0) {
    ssize_t count;
    while ((count = read(ends[0], &result, sizeof result)) < 0 && errno == EINTR) {}
    if (count != sizeof result) snprintf(result.detail, sizeof result.detail, "the helper that attaches was killed; try again");
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  }
  close(ends[0]);
  return result;
}

#else

struct CProbeInjector_result CProbeInjector_call(
    pid_t process, const char *library, const char *function, const char *argument, int milliseconds) {
  struct CProbeInjector_result result = {.outcome = CProbeInjector_not_possible};
  (void)process, (void)library, (void)function, (void)argument, (void)milliseconds;
  snprintf(result.detail, sizeof result.detail, "processes of x86-64 alone are supported");
  return result;
}

#endif
