// SPDX-License-Identifier: Apache-2.0

// Functions that musl or an older glibc lacks. The loader refuses a preloaded library that needs one; a weak one is
// NULL there. Hooks call only functions that the program imports itself.

#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

#define WEAK __attribute__((weak))

extern WEAK int backtrace(void **addresses, int count);
extern WEAK int close_range(unsigned first, unsigned last, int flags);
extern WEAK void closefrom(int first);
extern WEAK int on_exit(void (*function)(int status, void *argument), void *argument);
extern WEAK int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *end);
extern WEAK int sem_timedwait(sem_t *semaphore, const struct timespec *end);
extern WEAK int renameat2(int folder, const char *path, int new_folder, const char *new_path, unsigned flags);
#ifdef __GLIBC__
#pragma weak dladdr1
// The function that pthread_atfork() of glibc calls.
extern WEAK int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *library);
extern void *__dso_handle;
#endif
// The fortified forms, which no header declares.
extern WEAK int __open_2(const char *path, int flags);
extern WEAK int __openat_2(int folder, const char *path, int flags);

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2u
#endif
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1u
#endif
#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0
#endif

// A probe that was built for glibc is loaded on musl as well, and does nothing there.
static inline bool is_for_this_libc(void) {
#ifdef __GLIBC__
  return dladdr1 != NULL;
#else
  return true;
#endif
}

static inline void at_forks(void (*before)(void), void (*parent)(void), void (*child)(void)) {
#ifdef __GLIBC__
  if (__register_atfork) __register_atfork(before, parent, child, __dso_handle);
#else
  pthread_atfork(before, parent, child);
#endif
}
