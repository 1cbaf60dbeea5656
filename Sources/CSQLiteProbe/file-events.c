// SPDX-License-Identifier: Apache-2.0

// Decides which file operations are reported. All of this may run in a signal handler, and in a thread that is at its
// end: up to a match, only system calls are made. A match within a signal handler is kept until the next call that
// may take locks.

#define _GNU_SOURCE
#include "file-events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "callers.h"
#include "guard.h"
#include "lifecycle.h"
#include "portable.h"
#include "process.h"
#include "recording.h"
#include "sqlite-code.h"

// The process that opened the databases; in the child of vfork(), which shares the memory, it is another one.
static int owner;

static bool is_of_program(const void *caller) {
  return !is_sqlite_code(caller) && current_process() == __atomic_load_n(&owner, __ATOMIC_RELAXED);
}

// MARK: - Which files are looked up

enum { FIRST_LOOKS = 256, LOOKS_BETWEEN = 512 };
static unsigned looks_at_opens, looks_at_closes;

static void set_next_look(int *left, unsigned *looks) {
  if (__atomic_load_n(left, __ATOMIC_RELAXED) > 0) return;
  unsigned number = __atomic_add_fetch(looks, 1, __ATOMIC_RELAXED);
  __atomic_store_n(left, number < FIRST_LOOKS ? 1 : LOOKS_BETWEEN, __ATOMIC_RELAXED);
}

// MARK: - Descriptors that the program opened

// 64 is arbitrary: a descriptor without an entry is reported with the line that closes it.
enum { MAX_MARKS = 64 };
static struct mark {
  // The descriptor and 1, or 0.
  int descriptor;
  struct file_match match;
  uint64_t caller_id;
} marks[MAX_MARKS];

static uint64_t bit_of(int descriptor) { return (uint64_t)1 << (descriptor & 63); }

static void set_mark(int descriptor, const struct file_match *match, uint64_t caller_id) {
  for (int i = 0; i < MAX_MARKS; i++) {
    int unused = 0;
    if (!__atomic_compare_exchange_n(&marks[i].descriptor, &unused, -1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) continue;
    marks[i].match = *match;
    marks[i].caller_id = caller_id;
    __atomic_fetch_or(&file_watch.marked, bit_of(descriptor), __ATOMIC_RELAXED);
    __atomic_store_n(&marks[i].descriptor, descriptor + 1, __ATOMIC_RELEASE);
    return;
  }
}

// Returns false without one. A mark of a descriptor that was closed unseen may be that of another file.
static bool take_mark(int descriptor, struct mark *mark) {
  bool is_found = false;
  if (!may_be_marked(descriptor)) return false;
  __atomic_fetch_and(&file_watch.marked, ~bit_of(descriptor), __ATOMIC_RELAXED);
  for (int i = 0; i < MAX_MARKS; i++) {
    int at = __atomic_load_n(&marks[i].descriptor, __ATOMIC_ACQUIRE);
    if (at <= 0 || bit_of(at - 1) != bit_of(descriptor)) continue;
    if (at == descriptor + 1) {
      *mark = marks[i];
      is_found = true;
      __atomic_store_n(&marks[i].descriptor, 0, __ATOMIC_RELEASE);
    } else {
      // Of another descriptor with these bits.
      __atomic_fetch_or(&file_watch.marked, bit_of(descriptor), __ATOMIC_RELAXED);
    }
  }
  return is_found;
}

// MARK: - Events

struct touch {
  const char *operation;
  struct file_match match;
  uint64_t caller_id;
};

static void emit_touch(const struct touch *touch) {
  const struct open_database *database = touch->match.database;
  char path[sizeof database->path + 16];
  snprintf(path, sizeof path, "%s%s", database->path, suffix_of_kind(touch->match.kind));
  EMIT(database_file_touched, .connection_id = database->connection_id, .operation = touch->operation,
       .file = name_of_kind(touch->match.kind), .path = path, .device = touch->match.device,
       .inode = touch->match.inode, .caller_id = touch->caller_id);
}

// 16 is arbitrary: further operations of signal handlers are dropped.
enum { MAX_KEPT = 16 };
static struct touch kept[MAX_KEPT];
static int kept_states[MAX_KEPT];
static bool has_kept;
enum { UNUSED, BUSY, KEPT };

static void keep(const struct touch *touch) {
  for (int i = 0; i < MAX_KEPT; i++) {
    int unused = UNUSED;
    if (!__atomic_compare_exchange_n(&kept_states[i], &unused, BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) continue;
    kept[i] = *touch;
    __atomic_store_n(&kept_states[i], KEPT, __ATOMIC_RELEASE);
    __atomic_store_n(&has_kept, true, __ATOMIC_RELEASE);
    return;
  }
}

static void emit_kept(void) {
  if (LIKELY(!__atomic_load_n(&has_kept, __ATOMIC_ACQUIRE))) return;
  __atomic_store_n(&has_kept, false, __ATOMIC_RELAXED);
  for (int i = 0; i < MAX_KEPT; i++) {
    int state = KEPT;
    if (!__atomic_compare_exchange_n(&kept_states[i], &state, BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) continue;
    emit_touch(&kept[i]);
    __atomic_store_n(&kept_states[i], UNUSED, __ATOMIC_RELEASE);
  }
}

// The code to which a signal handler returns: the call of rt_sigreturn().
static bool is_signal_return(const void *address) {
#if defined(__x86_64__)
  static const unsigned char code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
#else
  static const unsigned char code[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4};
#endif
  return memcmp(address, code, sizeof code) == 0;
}

// Whether locks may not be taken: within the probe, or in a signal handler, which may have interrupted malloc().
static bool is_interrupting(void) {
  void *addresses[64];
  if (this_thread.is_guarded) return true;
  int count = backtrace ? backtrace(addresses, 64) : 0;
  for (int i = 0; i < count; i++)
    if (addresses[i] && is_signal_return(addresses[i])) return true;
  return false;
}

static void report_guarded(struct touch *touch) {
  emit_kept();
  if (touch->caller_id == 0) touch->caller_id = caller_of_call(true);
  emit_touch(touch);
}

static void report(struct touch touch) {
  if (is_interrupting()) return keep(&touch);
  if (is_recording()) GUARDED(report_guarded, WORD(&touch));
}

// MARK: - Operations

void file_opened(int descriptor, const char *path, bool is_truncated, const void *caller) {
  int error = errno;
  struct stat status;
  struct file_match match;
  set_next_look(&file_watch.opens_left, &looks_at_opens);
  if (!is_filtered && fstat(descriptor, &status) == 0 && match_status(&status, path, &match) && is_of_program(caller)) {
    // The file is not opened with O_PATH: such a descriptor has no locks.
    int flags = fcntl(descriptor, F_GETFL);
    if (is_truncated) report((struct touch){"truncate", match, 0});
    if (flags >= 0 && !(flags & O_PATH))
      set_mark(descriptor, &match, is_interrupting() || !is_recording() ? 0 : caller_of_call(true));
  }
  errno = error;
}

static bool is_open_database(int descriptor, struct file_match *match) {
  struct stat status;
  int flags;
  return fstat(descriptor, &status) == 0 && match_status(&status, NULL, match) &&
         (flags = fcntl(descriptor, F_GETFL)) >= 0 && !(flags & O_PATH);
}

static bool is_still_marked(int descriptor, const struct mark *mark) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && status.st_ino == mark->match.inode && status.st_dev == mark->match.device &&
         __atomic_load_n(&mark->match.database->users, __ATOMIC_ACQUIRE) > 0;
}

void file_will_close(int descriptor, const void *caller) {
  int error = errno;
  struct mark mark = {.caller_id = 0};
  set_next_look(&file_watch.closes_left, &looks_at_closes);
  // Only in the process that has it.
  if (is_filtered) return;
  bool is_marked = may_be_marked(descriptor) && is_of_program(caller) && take_mark(descriptor, &mark) &&
                   is_still_marked(descriptor, &mark);
  if (!is_marked) mark.caller_id = 0;
  if (is_marked || (is_open_database(descriptor, &mark.match) && is_of_program(caller)))
    report((struct touch){"close", mark.match, mark.caller_id});
  errno = error;
}

void file_will_be_truncated(int descriptor, const char *path, const void *caller) {
  int error = errno;
  struct stat status;
  struct file_match match;
  if (path) set_next_look(&file_watch.opens_left, &looks_at_opens);
  bool is_found = !is_filtered && (path ? stat(path, &status) : fstat(descriptor, &status)) == 0 &&
                  match_status(&status, path, &match);
  if (is_found && is_of_program(caller)) report((struct touch){"truncate", match, 0});
  errno = error;
}

void file_will_be_deleted(int folder, const char *path, const void *caller) {
  int error = errno;
  struct file_match match;
  if (path && !is_filtered && match_name(folder, path, &match) && is_of_program(caller))
    report((struct touch){"delete", match, 0});
  errno = error;
}

// Nothing is replaced by another name of the same file.
static bool is_same_file(int folder, const char *path, const struct file_match *match) {
  struct stat status;
  return fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_ino == match->inode &&
         status.st_dev == match->device;
}

void file_will_be_renamed(int folder, const char *path, int new_folder, const char *new_path, const void *caller) {
  int error = errno;
  struct file_match match;
  if (path && new_path && !is_filtered) {
    if (match_name(folder, path, &match) && is_of_program(caller)) report((struct touch){"rename", match, 0});
    else if (match_name(new_folder, new_path, &match) && !is_same_file(folder, path, &match) && is_of_program(caller))
      report((struct touch){"replace", match, 0});
  }
  errno = error;
}

void connection_was_inherited(uint64_t connection_id, const char *path, bool may_lock) {
  struct stat status;
  if (stat(path, &status) != 0) return;
  EMIT(database_file_touched, .connection_id = connection_id, .operation = "fork", .file = name_of_kind(FILE_DATABASE),
       .path = path, .device = status.st_dev, .inode = status.st_ino, .caller_id = caller_of_call(may_lock));
}

// MARK: - Lifecycle

static void start(void) {
  void *address;
  owner = current_process();
  // Loads the unwinder, which a signal handler must not.
  if (backtrace) backtrace(&address, 1);
}

static void after_fork(void) {
  owner = getpid();
  looks_at_opens = looks_at_closes = 0;
  memset(marks, 0, sizeof marks);
  file_watch.marked = 0;
  memset(kept_states, 0, sizeof kept_states);
}

LIFECYCLE(.start = start, .after_fork = after_fork, .end = emit_kept)
