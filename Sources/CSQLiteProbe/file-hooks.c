// SPDX-License-Identifier: Apache-2.0

// Hooks for the functions of libc that open, close, delete, rename and truncate files. They are installed with the first
// connection, and call libc exactly as the program did. With no database open each costs a comparison.

#define _GNU_SOURCE
#include "file-hooks.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "descriptors.h"
#include "file-events.h"
#include "filters.h"
#include "network-hooks.h"
#include "pool-waits.h"
#include "portable.h"

#define CALLER __builtin_return_address(0)

static inline bool is_opened(int descriptor, const char *path) {
  return is_watching() && descriptor >= 0 && is_due_by_path(path);
}

#define OPENED(call, path, is_truncated)                                             \
  int descriptor = call;                                                             \
  if (is_opened(descriptor, path)) file_opened(descriptor, path, is_truncated, CALLER); \
  return descriptor;

// MARK: - Opening

// The mode has the register that it has as a variable argument; without one in the call, it is not used.
static int hook_open(const char *path, int flags, mode_t mode) { OPENED(open(path, flags, mode), path, flags & O_TRUNC) }

static int hook_openat(int folder, const char *path, int flags, mode_t mode) {
  OPENED(openat(folder, path, flags, mode), path, flags & O_TRUNC)
}

static int hook_open_2(const char *path, int flags) { OPENED(__open_2(path, flags), path, flags & O_TRUNC) }

static int hook_openat_2(int folder, const char *path, int flags) {
  OPENED(__openat_2(folder, path, flags), path, flags & O_TRUNC)
}

static int hook_creat(const char *path, mode_t mode) { OPENED(creat(path, mode), path, true) }

static FILE *hook_fopen(const char *path, const char *mode) {
  FILE *file = fopen(path, mode);
  if (file && is_opened(fileno(file), path)) file_opened(fileno(file), path, mode[0] == 'w', CALLER);
  return file;
}

static FILE *hook_freopen(const char *path, const char *mode, FILE *file) {
  if (is_watching() && file && is_due_by_descriptor(fileno(file))) file_will_close(fileno(file), CALLER);
  FILE *opened = freopen(path, mode, file);
  if (opened && is_opened(fileno(opened), path)) file_opened(fileno(opened), path, mode[0] == 'w', CALLER);
  return opened;
}

// MARK: - Closing

static inline void will_close(int descriptor, const void *caller) {
  if (is_watching() && is_due_by_descriptor(descriptor)) file_will_close(descriptor, caller);
}

// Apart, so that most closings need no stack.
__attribute__((noinline)) static int close_after_look(int descriptor, const void *caller) {
  file_will_close(descriptor, caller);
  return hook_close(descriptor);
}

static int hook_close_of_file(int descriptor) {
  if (is_watching() && is_due_by_descriptor(descriptor)) return close_after_look(descriptor, CALLER);
  return hook_close(descriptor);
}

static int hook_fclose_of_file(FILE *file) {
  if (is_watching() && file) will_close(fileno(file), CALLER);
  return hook_fclose(file);
}

static int hook_dup2(int descriptor, int new_descriptor) {
  if (descriptor != new_descriptor) will_close(new_descriptor, CALLER);
  return dup2(descriptor, new_descriptor);
}

static int hook_dup3(int descriptor, int new_descriptor, int flags) {
  if (descriptor != new_descriptor) will_close(new_descriptor, CALLER);
  return dup3(descriptor, new_descriptor, flags);
}

// Descriptors above are not looked at.
enum { MAX_LOOKED_AT = 4096 };

static void range_will_close(unsigned first, unsigned last, const void *caller) {
  for (unsigned descriptor = first; is_watching() && descriptor <= last && descriptor < MAX_LOOKED_AT; descriptor++)
    file_will_close((int)descriptor, caller);
}

static void hook_closefrom_of_files(int first) {
  range_will_close(first < 0 ? 0 : (unsigned)first, ~0u, CALLER);
  hook_closefrom(first);
}

// With CLOSE_RANGE_CLOEXEC the descriptors stay open.
static int hook_close_range_of_files(unsigned first, unsigned last, int flags) {
  enum { CLOSES_ON_EXEC = 4 };
  if (!(flags & CLOSES_ON_EXEC)) range_will_close(first, last, CALLER);
  return hook_close_range(first, last, flags);
}

// MARK: - Names

static int hook_unlink(const char *path) {
  if (is_watching()) file_will_be_deleted(AT_FDCWD, path, CALLER);
  return unlink(path);
}

static int hook_unlinkat(int folder, const char *path, int flags) {
  if (is_watching() && !(flags & AT_REMOVEDIR)) file_will_be_deleted(folder, path, CALLER);
  return unlinkat(folder, path, flags);
}

static int hook_remove(const char *path) {
  if (is_watching()) file_will_be_deleted(AT_FDCWD, path, CALLER);
  return remove(path);
}

static int hook_rename(const char *path, const char *new_path) {
  if (is_watching()) file_will_be_renamed(AT_FDCWD, path, AT_FDCWD, new_path, CALLER);
  return rename(path, new_path);
}

static int hook_renameat(int folder, const char *path, int new_folder, const char *new_path) {
  if (is_watching()) file_will_be_renamed(folder, path, new_folder, new_path, CALLER);
  return renameat(folder, path, new_folder, new_path);
}

static int hook_renameat2(int folder, const char *path, int new_folder, const char *new_path, unsigned flags) {
  // Then no file is replaced.
  bool keeps = (flags & RENAME_NOREPLACE) != 0;
  if (is_watching()) file_will_be_renamed(folder, path, keeps ? folder : new_folder, keeps ? path : new_path, CALLER);
  return renameat2(folder, path, new_folder, new_path, flags);
}

// MARK: - Sizes

static int hook_truncate(const char *path, off_t size) {
  if (is_watching() && is_due_by_path(path)) file_will_be_truncated(-1, path, CALLER);
  return truncate(path, size);
}

static int hook_ftruncate(int descriptor, off_t size) {
  if (is_watching()) file_will_be_truncated(descriptor, NULL, CALLER);
  return ftruncate(descriptor, size);
}

// MARK: - System calls by number

// libuv closes its files so.
static long hook_syscall_of_file(long number, long a, long b, long c, long d, long e, long f) {
  if (is_watching() && number == SYS_close) will_close((int)a, CALLER);
  if (is_watching() && number == SYS_unlinkat && !(c & AT_REMOVEDIR)) file_will_be_deleted((int)a, (const char *)b, CALLER);
  if (is_watching() && number == SYS_renameat2)
    file_will_be_renamed((int)a, (const char *)b, (int)c, (const char *)d, CALLER);
  long result = hook_syscall(number, a, b, c, d, e, f);
  if (number == SYS_openat && is_opened((int)result, (const char *)b))
    file_opened((int)result, (const char *)b, c & O_TRUNC, CALLER);
  return result;
}

// MARK: - By name

// The 64-bit forms are the same functions where off_t has 64 bits.
_Static_assert(sizeof(off_t) == 8, "the 64-bit forms differ");

static const struct {
  const char *name;
  void *hook;
} hooks[] = {
    {"open", (void *)hook_open}, {"open64", (void *)hook_open}, {"__open", (void *)hook_open},
    {"__open64", (void *)hook_open}, {"openat", (void *)hook_openat}, {"openat64", (void *)hook_openat},
    {"__open_2", (void *)hook_open_2}, {"__open64_2", (void *)hook_open_2},
    {"__openat_2", (void *)hook_openat_2}, {"__openat64_2", (void *)hook_openat_2},
    {"creat", (void *)hook_creat}, {"creat64", (void *)hook_creat},
    {"fopen", (void *)hook_fopen}, {"fopen64", (void *)hook_fopen},
    {"freopen", (void *)hook_freopen}, {"freopen64", (void *)hook_freopen},
    {"close", (void *)hook_close_of_file}, {"__close", (void *)hook_close_of_file},
    {"fclose", (void *)hook_fclose_of_file}, {"dup2", (void *)hook_dup2}, {"__dup2", (void *)hook_dup2},
    {"dup3", (void *)hook_dup3}, {"closefrom", (void *)hook_closefrom_of_files},
    {"close_range", (void *)hook_close_range_of_files},
    {"unlink", (void *)hook_unlink}, {"unlinkat", (void *)hook_unlinkat}, {"remove", (void *)hook_remove},
    {"rename", (void *)hook_rename}, {"renameat", (void *)hook_renameat}, {"renameat2", (void *)hook_renameat2},
    {"truncate", (void *)hook_truncate}, {"truncate64", (void *)hook_truncate},
    {"ftruncate", (void *)hook_ftruncate}, {"ftruncate64", (void *)hook_ftruncate},
    {"syscall", (void *)hook_syscall_of_file},
};

void *file_hook(const char *name) {
  if (!strchr("_acfdorstu", name[0])) return NULL;
  if (strncmp(name, "sem_", 4) == 0) return pool_wait_hook(name);
  for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
    if (strcmp(hooks[i].name, name) == 0) return hooks[i].hook;
  return network_hook(name);
}
