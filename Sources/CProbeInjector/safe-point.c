// SPDX-License-Identifier: Apache-2.0

#if defined(__x86_64__)

#include "safe-point.h"

#include <string.h>
#include <sys/syscall.h>

#include "unwind.h"

enum { MAX_FRAMES = 2048 };

static bool contains(const char *const *names, const char *name) {
  for (; *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

static bool is_allocator(const char *name) {
  static const char *const names[] = {
      "malloc", "calloc", "realloc", "free", "memalign", "posix_memalign", "aligned_alloc", "reallocarray", "cfree",
      "valloc", "pvalloc", "malloc_usable_size", "malloc_trim", "mallinfo", "mallinfo2", "malloc_info", NULL};
  return contains(names, name);
}

static bool is_fork(const char *name) {
  static const char *const names[] = {"fork", "__fork", "__libc_fork", "_Fork", "vfork", "__vfork", "posix_spawn",
                                      "posix_spawnp", "system", "popen", "clone", "daemon", "forkpty", NULL};
  return contains(names, name);
}

static bool is_of_loader(const char *name) {
  static const char *const names[] = {"dlopen", "dlmopen", "dlclose", "dlsym", "dlvsym", "dladdr", "dladdr1", "dlinfo",
                                      "dl_iterate_phdr", "__libc_dlopen_mode", "_dl_find_object", "exit", NULL};
  return contains(names, name);
}

// Functions of libc that wait in the kernel, or only enter it: they hold none of its locks.
static bool is_system_call(const char *name) {
  static const char *const names[] = {
      "read", "write", "pread64", "pwrite64", "pread", "pwrite", "readv", "writev", "preadv", "pwritev", "fsync",
      "fdatasync", "msync", "ftruncate", "ftruncate64", "lseek", "lseek64", "fcntl", "fcntl64", "ioctl", "flock", "close",
      "stat", "stat64", "fstat", "fstat64", "lstat", "lstat64", "fstatat64", "access", "open", "open64", "openat",
      "openat64", "unlink", "poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "epoll_pwait2",
      "nanosleep", "clock_nanosleep", "usleep", "sleep", "pause", "sigwait", "sigtimedwait", "sigwaitinfo", "sigsuspend",
      "accept", "accept4", "connect", "recv", "recvfrom", "recvmsg", "recvmmsg", "send", "sendto", "sendmsg", "sendmmsg",
      "wait", "waitpid", "wait4", "waitid", "syscall", "sched_yield", "getpid", "gettid", "kill",
      "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "pthread_mutex_lock",
      "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
      "pthread_barrier_wait", "sem_wait", "sem_timedwait", "sem_clockwait", NULL};
  return contains(names, name);
}

// Functions of libc that call the program, and hold no lock meanwhile.
static bool is_caller_of_program(const char *name) {
  static const char *const names[] = {"__libc_start_main", "qsort", "qsort_r", "bsearch", NULL};
  return contains(names, name);
}

// A handler returns to `mov $15, %rax; syscall`.
static bool is_return_from_signal(const struct remote *remote, uintptr_t pc) {
  static const unsigned char code[] = {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};
  unsigned char found[sizeof code];
  return remote_read(remote, pc, found, sizeof found) && memcmp(found, code, sizeof code) == 0;
}

struct walk {
  const struct remote *remote;
  // The frame of libc that was called last, of a run of such frames; and whether the run is the innermost one.
  struct remote_object *libc;
  uintptr_t entry;
  bool is_innermost;
};

// The location by the function of libc that the program called.
static enum location location_of_entry(const struct walk *walk) {
  if (remote_is_in(walk->libc, walk->entry, is_allocator)) return LOCATION_ALLOCATOR;
  if (remote_is_in(walk->libc, walk->entry, is_fork)) return LOCATION_FORK;
  if (remote_is_in(walk->libc, walk->entry, is_of_loader)) return LOCATION_LOADER;
  bool (*is_allowed)(const char *) = walk->is_innermost ? is_system_call : is_caller_of_program;
  return remote_is_in(walk->libc, walk->entry, is_allowed) ? LOCATION_SAFE : LOCATION_LIBC;
}

// Examines one frame, from the innermost to the outermost.
static enum location visit(struct walk *walk, uintptr_t pc, bool is_innermost) {
  if (!is_innermost && is_return_from_signal(walk->remote, pc)) return LOCATION_HANDLER;
  uintptr_t address = is_innermost ? pc : pc - 1;
  struct remote_object *object = remote_object_at(walk->remote, address);
  if (object && object->kind == OBJECT_LOADER) return LOCATION_LOADER;
  if (object && object->kind == OBJECT_PROBE) return LOCATION_PROBE;
  if (object && object->kind == OBJECT_LIBC) {
    if (!walk->libc) walk->is_innermost = is_innermost;
    walk->libc = object;
    walk->entry = address;
    return LOCATION_SAFE;
  }
  enum location location = walk->libc ? location_of_entry(walk) : LOCATION_SAFE;
  walk->libc = NULL;
  if (location == LOCATION_SAFE && object && remote_is_in(object, address, is_allocator)) return LOCATION_ALLOCATOR;
  return location;
}

enum location location_of(const struct remote *remote, const struct stopped_thread *stopped, bool *waits_for_lock) {
  const struct user_regs_struct *r = &stopped->registers;
  struct unwind_frame frame = {{r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8, r->r9, r->r10,
                                r->r11, r->r12, r->r13, r->r14, r->r15, r->rip}};
  struct walk walk = {.remote = remote};
  for (int i = 0; i < MAX_FRAMES; i++) {
    bool is_direct = i == 0 || (walk.libc && walk.is_innermost);
    *waits_for_lock = is_direct && stopped->is_in_call && (long)r->orig_rax == SYS_futex;
    enum location location = visit(&walk, frame.registers[REGISTER_RA], i == 0);
    if (location != LOCATION_SAFE) return location;
    switch (unwind(remote, &frame, i == 0)) {
      case UNWIND_CALLER: break;
      case UNWIND_FAILED: return LOCATION_UNKNOWN;
      // A thread that libc started ends in libc; one that never left it runs libc's own work.
      case UNWIND_LAST: return walk.libc && walk.is_innermost ? LOCATION_LIBC : LOCATION_SAFE;
    }
  }
  return LOCATION_UNKNOWN;
}

const char *name_of_location(enum location location) {
  switch (location) {
    case LOCATION_LOADER: return "in the loader";
    case LOCATION_ALLOCATOR: return "in malloc()";
    case LOCATION_FORK: return "in fork()";
    case LOCATION_PROBE: return "in the probe";
    case LOCATION_HANDLER: return "in a signal handler";
    case LOCATION_LIBC: return "in a function of libc";
    case LOCATION_UNKNOWN: return "in code without descriptions of its frames";
    case LOCATION_SAFE: break;
  }
  return "at a safe point";
}

#endif
