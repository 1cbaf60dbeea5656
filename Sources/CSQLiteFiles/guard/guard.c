// SPDX-License-Identifier: Apache-2.0

// A VFS for databases of other programs: no file is made, changed or removed.
//
// On a read-only connection as well, SQLite opens the log and its index for writing, makes them, and
// removes the log of an empty database. Here both are only read, and SQLite keeps an index of its own in
// memory where no program uses the one in the file. The rules of the index's locks are SQLite's:
// https://www.sqlite.org/walformat.html#wal_locks

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../sqlite-vfs.h"
#include "CSQLiteFiles.h"
#include "descriptors.h"

enum {
  BUSY = 5, READONLY = 8, CANTINIT = 8 | 5 << 8, IOERR_READ = 10 | 1 << 8,
  IOERR_SHORT_READ = 10 | 2 << 8, NOMEM = 7, CANTOPEN = 14,
  OPEN_READONLY = 0x1, OPEN_READWRITE = 0x2,
  LOCKS = 120, READ_LOCKS = 3, IN_USE_LOCK = 128,
  LOG_HEADER = 32,
};

// Behind SQLite's structure of a database file.
struct guarded {
  const struct methods *real;
  struct methods methods;
  const char *name;
  // The descriptor of the index, or -1.
  int index;
  // Whether a program uses the index: this connection then has the lock that prevents its initialization.
  bool is_attached;
  // Whether a transaction reads without a lock, since there is no index to lock.
  bool reads_unlocked;
  void **regions;
  int region_count, region_size;
};

// Instead of SQLite's structure of a log, which may appear later.
struct guarded_log {
  const struct methods *methods;
  const char *name;
  int descriptor;
  struct file *database;
};

static struct vfs *base;
static void *(*database_of)(const char *name);

static int base_size(void) { return (base->file_size + 7) & ~7; }

static struct guarded *of(struct file *file) {
  return (struct guarded *)((char *)file + base_size());
}

// A program makes the index before it changes anything.
static int checked(struct file *database, int code) {
  struct guarded *guarded = of(database);
  char path[PATH_MAX + 8];
  if (!guarded->reads_unlocked) return code;
  snprintf(path, sizeof path, "%s-shm", guarded->name);
  return access(path, F_OK) == 0 ? BUSY : code;
}

// MARK: - The index

static int set_lock(int descriptor, short type, int64_t start, int64_t count) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = count};
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : BUSY;
}

// Whether a program uses the index: otherwise its content may be of another time than the log.
static int attach(struct guarded *guarded) {
  char path[PATH_MAX + 8];
  if (guarded->index < 0) {
    snprintf(path, sizeof path, "%s-shm", guarded->name);
    guarded->index = descriptor_open(path);
    if (guarded->index < 0) return errno == ENOENT ? CANTINIT : CANTOPEN;
  }
  if (guarded->is_attached) return 0;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = IN_USE_LOCK, .l_len = 1};
  if (fcntl(guarded->index, F_OFD_GETLK, &lock) != 0) return CANTOPEN;
  if (lock.l_type == F_UNLCK) return CANTINIT;
  if (set_lock(guarded->index, F_RDLCK, IN_USE_LOCK, 1) != 0) return BUSY;
  guarded->is_attached = true;
  return 0;
}

// Whether no read mark is set yet, which takes a connection that writes. As long as the log has frames that
// are not in the file, or none at all, the first read lock keeps everything as it is.
static bool is_unmarked(int index) {
  uint32_t head[30] = {0};
  if (pread(index, head, sizeof head, 0) != sizeof head) return false;
  uint32_t frames = head[4], moved = head[24];
  for (int i = 26; i < 30; i++)
    if (head[i] != UINT32_MAX) return false;
  return frames == 0 || moved < frames;
}

static void *map(int descriptor, int64_t offset, int size) {
  int64_t start = offset & -(int64_t)sysconf(_SC_PAGESIZE);
  void *memory = mmap(NULL, (size_t)(offset - start + size), PROT_READ, MAP_SHARED, descriptor, start);
  return memory == MAP_FAILED ? NULL : (char *)memory + (offset - start);
}

static void unmap(void *region, int size) {
  uintptr_t start = (uintptr_t)region & -(uintptr_t)sysconf(_SC_PAGESIZE);
  munmap((void *)start, (uintptr_t)region - start + (size_t)size);
}

static int shm_map(struct file *file, int page, int size, int extends, volatile void **result) {
  (void)extends;
  struct guarded *guarded = of(file);
  *result = NULL;
  int code = attach(guarded);
  if (code != 0) return code;
  if (page == 0 && is_unmarked(guarded->index)) return CANTINIT;
  if (page >= guarded->region_count) {
    void **regions = realloc(guarded->regions, sizeof *regions * (size_t)(page + 1));
    if (!regions) return NOMEM;
    memset(regions + guarded->region_count, 0,
           sizeof *regions * (size_t)(page + 1 - guarded->region_count));
    guarded->regions = regions;
    guarded->region_count = page + 1;
    guarded->region_size = size;
  }
  struct stat status;
  int64_t offset = (int64_t)page * size;
  if (!guarded->regions[page] && fstat(guarded->index, &status) == 0 && status.st_size >= offset + size)
    guarded->regions[page] = map(guarded->index, offset, size);
  *result = guarded->regions[page];
  return READONLY;
}

static int shm_lock(struct file *file, int offset, int count, int flags) {
  struct guarded *guarded = of(file);
  if (flags & SHM_UNLOCK) {
    guarded->reads_unlocked = false;
    return guarded->index < 0 ? 0 : set_lock(guarded->index, F_UNLCK, LOCKS + offset, count);
  }
  if (flags & SHM_EXCLUSIVE) return BUSY;
  guarded->reads_unlocked = guarded->index < 0;
  return guarded->index < 0 ? 0 : set_lock(guarded->index, F_RDLCK, LOCKS + offset, count);
}

static void shm_barrier(struct file *file) {
  (void)file;
  __sync_synchronize();
}

static int shm_unmap(struct file *file, int removes) {
  (void)removes;
  struct guarded *guarded = of(file);
  for (int i = 0; i < guarded->region_count; i++)
    if (guarded->regions[i]) unmap(guarded->regions[i], guarded->region_size);
  free(guarded->regions);
  guarded->regions = NULL;
  guarded->region_count = 0;
  if (guarded->index >= 0) {
    set_lock(guarded->index, F_UNLCK, 0, 0);
    descriptor_close(guarded->index);
  }
  guarded->index = -1;
  guarded->is_attached = guarded->reads_unlocked = false;
  return 0;
}

// MARK: - The database

static int read_database(struct file *file, void *bytes, int count, int64_t offset) {
  return checked(file, of(file)->real->read(file, bytes, count, offset));
}

static int close_database(struct file *file) {
  const struct methods *real = of(file)->real;
  shm_unmap(file, 0);
  file->methods = real;
  return real->close(file);
}

static void guard_database(struct file *file, const char *name) {
  struct guarded *guarded = of(file);
  *guarded = (struct guarded){
      .real = file->methods, .methods = *file->methods, .name = name, .index = -1};
  struct methods *methods = &guarded->methods;
  // Without memory-mapped reads, which could not be checked.
  methods->version = 2;
  methods->close = close_database;
  methods->read = read_database;
  methods->shm_map = shm_map;
  methods->shm_lock = shm_lock;
  methods->shm_barrier = shm_barrier;
  methods->shm_unmap = shm_unmap;
  file->methods = methods;
}

// MARK: - The log

static struct guarded_log *log_of(struct file *file) { return (struct guarded_log *)(void *)file; }

static bool is_there(struct guarded_log *log) {
  if (log->descriptor < 0) log->descriptor = open_regular(log->name);
  return log->descriptor >= 0;
}

// A log that is missing has a header of zeros and no frames: SQLite then trusts what it has cached, which
// is right as long as no program has made a log. The lock on the database keeps programs from removing one.
static int log_size(struct file *file, int64_t *size) {
  struct stat status = {.st_size = LOG_HEADER};
  if (is_there(log_of(file)) && fstat(log_of(file)->descriptor, &status) != 0) return IOERR_READ;
  *size = status.st_size;
  return 0;
}

static int read_log(struct file *file, void *bytes, int count, int64_t offset) {
  struct guarded_log *log = log_of(file);
  ssize_t length = offset + count <= LOG_HEADER ? count : 0;
  if (is_there(log)) {
    length = pread(log->descriptor, bytes, (size_t)count, offset);
    if (length < 0) return IOERR_READ;
  } else {
    memset(bytes, 0, (size_t)count);
  }
  if (length < count) memset((char *)bytes + length, 0, (size_t)(count - length));
  return checked(log->database, length < count ? IOERR_SHORT_READ : 0);
}

static int close_log(struct file *file) {
  if (log_of(file)->descriptor >= 0) close(log_of(file)->descriptor);
  return 0;
}

static int refuse_write(struct file *a, const void *b, int c, int64_t d) {
  (void)a, (void)b, (void)c, (void)d;
  return READONLY;
}
static int refuse_truncation(struct file *a, int64_t b) { (void)a, (void)b; return READONLY; }
static int ignore(struct file *a, int b) { (void)a, (void)b; return 0; }
static int ignore_check(struct file *a, int *b) { (void)a; *b = 0; return 0; }
static int ignore_control(struct file *a, int b, void *c) { (void)a, (void)b, (void)c; return 12; }
static int zero(struct file *a) { (void)a; return 0; }

static const struct methods log_methods = {
    .version = 1, .close = close_log, .read = read_log, .write = refuse_write,
    .truncate = refuse_truncation, .sync = ignore, .file_size = log_size, .lock = ignore,
    .unlock = ignore, .check_reserved_lock = ignore_check, .file_control = ignore_control,
    .sector_size = zero, .device_characteristics = zero};

static void open_log(struct file *file, const char *name) {
  *log_of(file) = (struct guarded_log){
      .methods = &log_methods, .name = name, .descriptor = -1, .database = database_of(name)};
}

// MARK: - The VFS

static int open_guarded(struct vfs *vfs, const char *name, struct file *file, int flags, int *out) {
  // Temporary files are SQLite's own.
  if (!name || !(flags & (OPEN_MAIN_DB | OPEN_WAL | OPEN_MAIN_JOURNAL | OPEN_SUPER_JOURNAL)))
    return vfs->open(vfs, name, file, flags, out);
  flags = (flags & ~(OPEN_READWRITE | OPEN_CREATE)) | OPEN_READONLY;
  if (flags & OPEN_WAL) {
    open_log(file, name);
    if (out) *out = flags;
    return 0;
  }
  int code = vfs->open(vfs, name, file, flags, out);
  if (code == 0 && flags & OPEN_MAIN_DB) guard_database(file, name);
  return code;
}

static int open_uncounted(struct vfs *vfs, const char *name, struct file *file, int flags, int *out) {
  (void)vfs;
  return open_guarded(base, name, file, flags, out);
}

static int open_counted(struct vfs *vfs, const char *name, struct file *file, int flags, int *out) {
  (void)vfs;
  return open_with(open_guarded, base, name, file, flags, out);
}

static int refuse_removal(struct vfs *vfs, const char *name, int syncs) {
  (void)vfs, (void)name, (void)syncs;
  return READONLY;
}

const char *CSQLiteFiles_guard(bool counts, int (*add)(void *vfs, int is_default),
                               void *(*database)(const char *name)) {
  static struct vfs guards[2];
  struct vfs *guard = &guards[counts];
  base = files_vfs(guard);
  if (!base) return NULL;
  database_of = database;
  guard->name = counts ? "storescope-guard-files" : "storescope-guard";
  guard->file_size = base_size() + (int)sizeof(struct guarded);
  guard->open = counts ? open_counted : open_uncounted;
  guard->remove = refuse_removal;
  return add(guard, 0) == 0 ? guard->name : NULL;
}
