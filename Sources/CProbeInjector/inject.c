// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CProbeInjector.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)

#include "borrowed.h"
#include "safe-point.h"

// In µs, between two looks at the threads.
enum { PAUSE = 2000 };

struct functions {
  uintptr_t gadget, error_location, open;
};

static uintptr_t find_in_libc(const struct remote *remote, const char *name) {
  for (size_t i = 0; i < remote->object_count; i++) {
    if (remote->objects[i].kind != OBJECT_LIBC) continue;
    uintptr_t function = remote_function(remote, &remote->objects[i], name);
    if (function) return function;
  }
  return 0;
}

static bool find_functions(const struct remote *remote, struct functions *functions) {
  unsigned char code[64];
  uintptr_t caller = find_in_libc(remote, "syscall");
  functions->error_location = find_in_libc(remote, "__errno_location");
  functions->open = find_in_libc(remote, "dlopen");
  // Before glibc 2.34 in a library that the program may not have.
  if (!functions->open) functions->open = find_in_libc(remote, "__libc_dlopen_mode");
  if (!caller || !functions->error_location || !functions->open) return false;
  if (!remote_read(remote, caller, code, sizeof code)) return false;
  const unsigned char *found = memmem(code, sizeof code, "\x0f\x05", 2);
  functions->gadget = found ? caller + (uintptr_t)(found - code) : 0;
  return found != NULL;
}

// MARK: - The choice of a thread

struct choice {
  struct stopped_thread thread;
  bool is_found, is_blocked, is_permitted;
  pid_t other;
  enum place place;
};

// A thread that waits with a lock of the loader, of malloc() or of fork(), may wait for long.
static bool may_block(enum place place, const struct stopped_thread *stopped) {
  return (place == PLACE_LOADER || place == PLACE_ALLOCATOR || place == PLACE_FORK) && stopped->is_in_call;
}

static void examine(const struct remote *remote, pid_t id, struct choice *choice) {
  struct stopped_thread stopped;
  switch (stop_thread(remote->process, id, &stopped)) {
    case THREAD_GONE: return;
    case THREAD_NOT_PERMITTED: choice->is_permitted = false; return;
    case THREAD_RUNS:
      choice->is_blocked = true;
      choice->other = id;
      choice->place = PLACE_FORK;
      return;
    case THREAD_STOPPED: break;
  }
  enum place place = place_of(remote, &stopped);
  if (place == PLACE_SAFE && !choice->is_found) {
    choice->is_found = true;
    choice->thread = stopped;
    return;
  }
  if (place != PLACE_SAFE && !choice->is_blocked) {
    choice->other = id;
    choice->place = place;
  }
  if (may_block(place, &stopped)) choice->is_blocked = true;
  resume_thread(&stopped);
}

static void choose(const struct remote *remote, struct choice *choice) {
  char path[64];
  *choice = (struct choice){.is_permitted = true};
  snprintf(path, sizeof path, "/proc/%d/task", remote->process);
  DIR *folder = opendir(path);
  if (!folder) return;
  for (const struct dirent *entry; choice->is_permitted && (entry = readdir(folder));)
    if (entry->d_name[0] != '.') examine(remote, atoi(entry->d_name), choice);
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
    case CALL_FAILED: break;
  }
  return CProbeInjector_not_loaded;
}

// The function in the library, which is mapped by now.
static uintptr_t find_mapped(pid_t process, const struct request *request) {
  struct remote remote;
  uintptr_t function = 0;
  if (remote_open(&remote, process)) {
    struct remote_object *object = remote_object_of_file(&remote, request->library);
    if (object) function = remote_function(&remote, object, request->function);
  }
  remote_close(&remote);
  return function;
}

static int make_calls(struct borrowed *borrowed, const struct functions *functions, const struct request *request,
                      int *value) {
  int64_t deadline = now_us() + request->limit;
  uintptr_t returned = 0, path = put_text(borrowed, request->library), text = 0;
  if (!path || (request->argument && !(text = put_text(borrowed, request->argument)))) return CProbeInjector_not_loaded;
  enum call_result result = call_function(borrowed, functions->open, path, RTLD_NOW, deadline, &returned);
  if (result != CALL_RETURNED) return outcome_of(result);
  uintptr_t function = returned ? find_mapped(borrowed->remote->process, request) : 0;
  if (!function) return CProbeInjector_not_loaded;
  result = call_function(borrowed, function, text, 0, deadline, &returned);
  *value = (int)returned;
  return outcome_of(result);
}

static void call_on(const struct stopped_thread *thread, const struct remote *remote, const struct functions *functions,
                    const struct request *request, struct CProbeInjector_result *result) {
  static struct borrowed borrowed;
  int64_t start = now_us();
  bool is_borrowed = borrow(&borrowed, thread, remote, functions->gadget, functions->error_location);
  result->outcome =
      is_borrowed ? make_calls(&borrowed, functions, request, &result->value) : CProbeInjector_not_loaded;
  give_back(&borrowed, result->outcome == CProbeInjector_done || result->outcome == CProbeInjector_not_loaded);
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
      choose(&remote, &choice);
      if (!choice.is_found) usleep(PAUSE);
    }
    result->error = choice.is_permitted ? 0 : errno;
    if (choice.is_found) call_on(&choice.thread, &remote, &functions, request, result);
    else if (!choice.is_permitted) result->outcome = CProbeInjector_not_permitted;
    else if (kill(process, 0) != 0) result->outcome = CProbeInjector_ended;
    else result->outcome = CProbeInjector_no_safe_point;
    if (result->outcome == CProbeInjector_no_safe_point)
      snprintf(result->detail, sizeof result->detail, "thread %d is %s", choice.other, name_of_place(choice.place));
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
    while (read(ends[0], &result, sizeof result) < 0 && errno == EINTR) {}
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
