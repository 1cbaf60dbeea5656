// SPDX-License-Identifier: Apache-2.0

#include "open-databases.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "hash.h"
#include "lifecycle.h"

// 512 is arbitrary: further databases are not watched.
enum { MAX_DATABASES = 512 };
static struct open_database databases[MAX_DATABASES];
// The entries that were ever used.
static unsigned entries;
// The endings of the files of open databases, by the first bits of their hash. All files of a folder may have one ending: with a
// hash alone, one that is equal by chance costs a system call for each of them.
static struct {
  unsigned count;
  uint32_t ending;
  // Whether there were two of this hash.
  bool is_any;
} endings[256];
// The files whose name is shorter than an ending.
static unsigned short_names;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *const names[] = {"database", "wal", "shm", "journal"};
static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

const char *name_of_kind(enum file_kind kind) { return names[kind]; }
const char *suffix_of_kind(enum file_kind kind) { return suffixes[kind]; }

static void path_of_kind(const struct open_database *database, enum file_kind kind, char path[sizeof database->path + 16]) {
  snprintf(path, sizeof database->path + 16, "%s%s", database->path, suffixes[kind]);
}

uint64_t hash_of_name(const char *path, enum file_kind *kind) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t length = strlen(name);
  *kind = FILE_DATABASE;
  if (length > 4 && memcmp(name + length - 4, "-wal", 4) == 0) *kind = FILE_LOG;
  else if (length > 4 && memcmp(name + length - 4, "-shm", 4) == 0) *kind = FILE_INDEX;
  else if (length > 8 && memcmp(name + length - 8, "-journal", 8) == 0) *kind = FILE_JOURNAL;
  return hash_bytes(name, length - strlen(suffixes[*kind]), 17);
}

static unsigned entry_count(void) { return __atomic_load_n(&entries, __ATOMIC_ACQUIRE); }

static bool is_used(const struct open_database *database) {
  return __atomic_load_n(&database->users, __ATOMIC_ACQUIRE) > 0;
}

static bool is_file(const struct open_database *database, uint64_t device, uint64_t inode) {
  return is_used(database) && database->inode == inode && database->device == device;
}

// MARK: - Changes

static struct open_database *find_or_take(uint64_t device, uint64_t inode) {
  struct open_database *unused = NULL;
  for (unsigned i = 0; i < entries; i++) {
    if (is_file(&databases[i], device, inode)) return &databases[i];
    if (!unused && !is_used(&databases[i])) unused = &databases[i];
  }
  if (unused) return unused;
  return entries < MAX_DATABASES ? &databases[entries] : NULL;
}

// The last four bytes of the last component; zero bytes precede a shorter one.
static uint32_t ending_of_name(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t length = strlen(name), size = length < sizeof(uint32_t) ? length : sizeof(uint32_t);
  uint32_t ending = 0;
  memcpy((char *)&ending + sizeof ending - size, name + length - size, size);
  return ending;
}

bool has_ending_of_open_database(const char *path) {
  uint32_t ending = ending_of_name(path), hash = hash_of_ending(ending);
  return __atomic_load_n(&endings[hash].count, __ATOMIC_ACQUIRE) > 0 &&
         (__atomic_load_n(&endings[hash].ending, __ATOMIC_RELAXED) == ending ||
          __atomic_load_n(&endings[hash].is_any, __ATOMIC_RELAXED));
}

static void publish_endings(void) {
  for (int i = 0; i < 4; i++) {
    uint64_t bits = 0;
    for (int bit = 0; bit < 64; bit++) bits |= (uint64_t)(endings[i * 64 + bit].count > 0) << bit;
    // Before a short name, a path has a slash and any other bytes.
    __atomic_store_n(&file_watch.endings[i], short_names > 0 ? ~(uint64_t)0 : bits, __ATOMIC_RELAXED);
  }
}

static void count_ending(uint32_t ending, int change) {
  uint32_t hash = hash_of_ending(ending);
  bool is_other = endings[hash].count > 0 && endings[hash].ending != ending;
  if (endings[hash].count == 0) __atomic_store_n(&endings[hash].is_any, false, __ATOMIC_RELAXED);
  if (is_other) __atomic_store_n(&endings[hash].is_any, true, __ATOMIC_RELAXED);
  else __atomic_store_n(&endings[hash].ending, ending, __ATOMIC_RELAXED);
  __atomic_add_fetch(&endings[hash].count, change, __ATOMIC_RELEASE);
  // Zero bytes precede a short name.
  if ((ending & 0xff) == 0) short_names += change;
}

static void count(const struct open_database *database, int change) {
  for (int kind = FILE_DATABASE; kind <= FILE_JOURNAL; kind++) {
    char name[sizeof database->path + 16];
    path_of_kind(database, kind, name);
    count_ending(ending_of_name(name), change);
  }
  publish_endings();
  __atomic_add_fetch(&file_watch.database_count, change, __ATOMIC_RELAXED);
}

static void fill(struct open_database *database, const char *path, const struct stat *status, uint64_t connection_id) {
  enum file_kind kind;
  snprintf(database->path, sizeof database->path, "%s", path);
  database->device = status->st_dev;
  database->inode = status->st_ino;
  database->connection_id = connection_id;
  database->name_hash = hash_of_name(path, &kind);
  count(database, 1);
}

struct open_database *add_open_database(const char *path, uint64_t connection_id) {
  struct stat status;
  int error = errno;
  bool is_regular = path && *path && strlen(path) < sizeof databases[0].path && stat(path, &status) == 0 &&
                    S_ISREG(status.st_mode);
  errno = error;
  if (!is_regular) return NULL;
  pthread_mutex_lock(&lock);
  struct open_database *database = find_or_take(status.st_dev, status.st_ino);
  if (database && !is_used(database)) fill(database, path, &status, connection_id);
  if (database) __atomic_add_fetch(&database->users, 1, __ATOMIC_RELEASE);
  if (database == &databases[entries]) __atomic_store_n(&entries, entries + 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  return database;
}

void remove_open_database(struct open_database *database) {
  pthread_mutex_lock(&lock);
  if (is_used(database) && __atomic_sub_fetch(&database->users, 1, __ATOMIC_RELEASE) == 0) count(database, -1);
  pthread_mutex_unlock(&lock);
}

void forget_open_databases(void) {
  // The thread that forked may not be the one that held the lock.
  pthread_mutex_init(&lock, NULL);
  for (unsigned i = 0; i < entries; i++) databases[i].users = 0;
  memset(endings, 0, sizeof endings);
  short_names = 0;
  // LTTng's descriptors are the same in the child.
  file_watch = (struct file_watch){.first_of_lttng = file_watch.first_of_lttng};
  entries = 0;
}

// MARK: - Look-ups

static bool is_companion(const struct open_database *database, enum file_kind kind, const struct stat *status) {
  char path[sizeof database->path + 16];
  struct stat own;
  path_of_kind(database, kind, path);
  return stat(path, &own) == 0 && own.st_ino == status->st_ino && own.st_dev == status->st_dev;
}

bool match_status(const struct stat *status, const char *path, struct file_match *match) {
  enum file_kind kind = FILE_DATABASE;
  uint64_t hash = path ? hash_of_name(path, &kind) : 0;
  if (!S_ISREG(status->st_mode)) return false;
  *match = (struct file_match){NULL, kind, status->st_dev, status->st_ino};
  for (unsigned i = 0; i < entry_count() && !match->database; i++) {
    const struct open_database *database = &databases[i];
    if (is_file(database, status->st_dev, status->st_ino)) {
      match->kind = FILE_DATABASE;
      match->database = database;
    } else if (kind != FILE_DATABASE && is_used(database) && database->name_hash == hash &&
               is_companion(database, kind, status)) {
      match->database = database;
    }
  }
  return match->database != NULL;
}

bool match_name(int folder, const char *path, struct file_match *match) {
  enum file_kind kind;
  struct stat status;
  if (!may_be_open_database(path) || fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  return match_status(&status, path, match) && match->database->name_hash == hash_of_name(path, &kind);
}

LIFECYCLE(.after_fork = forget_open_databases)
