// SPDX-License-Identifier: Apache-2.0

// Counts the calls of open files. Each file gets its own method table, at the start of the data
// that is kept for it, so SQLite's structure for a file is neither enlarged nor moved.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CSQLiteFiles.h"
#include "sqlite-vfs.h"

enum kind { KIND_OTHER, KIND_DATABASE, KIND_LOG };

struct wrapped {
  // First: `file->methods` points to it.
  struct methods methods;
  const struct methods *real;
  enum kind kind;
  // The VFS of Unix syncs the folder with the first sync of a new journal.
  bool syncs_folder;
  // For a database: its index in the list.
  struct wrapped *next;
  char *name;
};

struct CSQLiteFiles_conditions CSQLiteFiles_conditions;

static _Thread_local struct CSQLiteFiles_counts counts __attribute__((tls_model("initial-exec")));
// When the checkpoint that the thread runs began, or 0.
static _Thread_local int64_t checkpoint_start __attribute__((tls_model("initial-exec")));

void CSQLiteFiles_add(struct CSQLiteFiles_counts *sum, const struct CSQLiteFiles_counts *other) {
  uint64_t *to = (uint64_t *)sum;
  const uint64_t *from = (const uint64_t *)other;
  for (size_t i = 0; i < sizeof *sum / sizeof *to; i++) to[i] += from[i];
}

struct CSQLiteFiles_counts CSQLiteFiles_take(void) {
  struct CSQLiteFiles_counts taken = counts;
  counts = (struct CSQLiteFiles_counts){0};
  return taken;
}

int64_t file_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool is_counting(void) {
  return !CSQLiteFiles_conditions.is_counting || CSQLiteFiles_conditions.is_counting();
}

static struct wrapped *of(struct file *file) { return (struct wrapped *)(uintptr_t)file->methods; }

// MARK: - Databases

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wrapped *databases;

int belongs_to_wrapped(const char *name, int flags) {
  if (flags & OPEN_MAIN_DB)
    return !CSQLiteFiles_conditions.takes_database || CSQLiteFiles_conditions.takes_database();
  int found = 0;
  pthread_mutex_lock(&lock);
  // A temporary file has no name, and belongs to any of them.
  for (struct wrapped *at = databases; at && !found; at = at->next) {
    size_t length = strlen(at->name);
    found = !name || (strncmp(name, at->name, length) == 0 && name[length] == '-');
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static void add_to_list(struct wrapped *database) {
  pthread_mutex_lock(&lock);
  database->next = databases;
  databases = database;
  pthread_mutex_unlock(&lock);
}

static void remove_from_list(struct wrapped *database) {
  pthread_mutex_lock(&lock);
  struct wrapped **at = &databases;
  while (*at && *at != database) at = &(*at)->next;
  if (*at) *at = database->next;
  pthread_mutex_unlock(&lock);
}

// MARK: - Methods that count

static int counted_read(struct file *file, void *bytes, int count, int64_t offset) {
  const struct methods *real = of(file)->real;
  if (!is_counting()) return real->read(file, bytes, count, offset);
  int64_t start = file_clock();
  int code = real->read(file, bytes, count, offset);
  counts.read_ns += file_clock() - start;
  counts.reads++;
  counts.read_bytes += (uint64_t)count;
  return code;
}

static int counted_write(struct file *file, const void *bytes, int count, int64_t offset) {
  const struct wrapped *wrapped = of(file);
  if (!is_counting()) return wrapped->real->write(file, bytes, count, offset);
  int64_t start = file_clock();
  int code = wrapped->real->write(file, bytes, count, offset);
  int64_t duration = file_clock() - start;
  counts.writes++;
  counts.write_bytes += (uint64_t)count;
  counts.write_ns += duration;
  if (checkpoint_start != 0) {
    counts.checkpoint_writes++;
  } else if (wrapped->kind == KIND_LOG) {
    counts.log_writes++;
    counts.log_ns += duration;
  } else if (wrapped->kind == KIND_DATABASE) {
    counts.file_writes++;
    counts.file_ns += duration;
  }
  return code;
}

static void count_syncs(uint64_t number, int64_t duration) {
  counts.syncs += number;
  counts.sync_ns += duration;
  if (checkpoint_start != 0) {
    counts.checkpoint_syncs += number;
  } else {
    counts.commit_syncs += number;
    counts.commit_sync_ns += duration;
  }
}

void count_folder_sync(int64_t duration) {
  if (is_counting()) count_syncs(1, duration);
}

static int counted_sync(struct file *file, int flags) {
  struct wrapped *wrapped = of(file);
  bool also_folder = wrapped->syncs_folder;
  wrapped->syncs_folder = false;
  if (!is_counting()) return wrapped->real->sync(file, flags);
  int64_t start = file_clock();
  int code = wrapped->real->sync(file, flags);
  count_syncs(also_folder ? 2 : 1, file_clock() - start);
  return code;
}

static int counted_shm_lock(struct file *file, int offset, int count, int flags) {
  bool is_checkpoint = offset == CHECKPOINT_LOCK && count == 1 && (flags & SHM_EXCLUSIVE);
  int64_t now = is_checkpoint ? file_clock() : 0;
  int code = of(file)->real->shm_lock(file, offset, count, flags);
  if (!is_checkpoint || code != 0) return code;
  if (flags & SHM_LOCK) {
    checkpoint_start = now;
  } else if (checkpoint_start != 0) {
    if (is_counting()) {
      counts.checkpoints++;
      counts.checkpoint_ns += file_clock() - checkpoint_start;
    }
    checkpoint_start = 0;
  }
  return code;
}

static int counted_close(struct file *file) {
  struct wrapped *wrapped = of(file);
  const struct methods *real = wrapped->real;
  if (wrapped->name) remove_from_list(wrapped);
  // The VFS finds the file as it made it.
  file->methods = real;
  int code = real->close(file);
  free(wrapped->name);
  free(wrapped);
  return code;
}

// MARK: - Methods that are passed on

#define PASS(name, parameters, arguments) \
  static int pass_##name parameters { return of(file)->real->name arguments; }
PASS(truncate, (struct file *file, int64_t size), (file, size))
PASS(file_size, (struct file *file, int64_t *size), (file, size))
PASS(lock, (struct file *file, int level), (file, level))
PASS(unlock, (struct file *file, int level), (file, level))
PASS(check_reserved_lock, (struct file *file, int *result), (file, result))
PASS(file_control, (struct file *file, int code, void *argument), (file, code, argument))
PASS(sector_size, (struct file *file), (file))
PASS(device_characteristics, (struct file *file), (file))
PASS(shm_map, (struct file *file, int page, int size, int extend, volatile void **result),
     (file, page, size, extend, result))
PASS(shm_unmap, (struct file *file, int removes), (file, removes))
PASS(fetch, (struct file *file, int64_t offset, int count, void **result), (file, offset, count, result))
PASS(unfetch, (struct file *file, int64_t offset, void *page), (file, offset, page))
static void pass_shm_barrier(struct file *file) { of(file)->real->shm_barrier(file); }

// A table of the same version, with the same methods missing: SQLite looks at both.
static void fill(struct methods *table, const struct methods *real) {
  table->version = real->version < KNOWN_METHODS ? real->version : KNOWN_METHODS;
#define METHOD(name, function) table->name = real->name ? function : NULL
  METHOD(close, counted_close);
  METHOD(read, counted_read);
  METHOD(write, counted_write);
  METHOD(truncate, pass_truncate);
  METHOD(sync, counted_sync);
  METHOD(file_size, pass_file_size);
  METHOD(lock, pass_lock);
  METHOD(unlock, pass_unlock);
  METHOD(check_reserved_lock, pass_check_reserved_lock);
  METHOD(file_control, pass_file_control);
  METHOD(sector_size, pass_sector_size);
  METHOD(device_characteristics, pass_device_characteristics);
  if (!HAS(real, 2)) return;
  METHOD(shm_map, pass_shm_map);
  METHOD(shm_lock, counted_shm_lock);
  METHOD(shm_barrier, pass_shm_barrier);
  METHOD(shm_unmap, pass_shm_unmap);
  if (!HAS(real, 3)) return;
  METHOD(fetch, pass_fetch);
  METHOD(unfetch, pass_unfetch);
#undef METHOD
}

void wrap_file(struct file *file, const char *name, int flags, int syncs_folder) {
  if (!file || !file->methods || file->methods->close == counted_close) return;
  struct wrapped *wrapped = calloc(1, sizeof *wrapped);
  bool is_database = (flags & OPEN_MAIN_DB) != 0;
  if (wrapped && is_database) wrapped->name = strdup(name ? name : "");
  // Without memory the file is used unchanged.
  if (!wrapped || (is_database && !wrapped->name)) {
    free(wrapped);
    return;
  }
  wrapped->real = file->methods;
  wrapped->kind = is_database ? KIND_DATABASE
                  : flags & (OPEN_WAL | OPEN_MAIN_JOURNAL | OPEN_SUPER_JOURNAL) ? KIND_LOG
                                                                                : KIND_OTHER;
  wrapped->syncs_folder = syncs_folder;
  fill(&wrapped->methods, file->methods);
  if (is_database) add_to_list(wrapped);
  file->methods = &wrapped->methods;
}

void CSQLiteFiles_wrap(void *file, const char *path) { wrap_file(file, path, OPEN_MAIN_DB, 0); }
