// SPDX-License-Identifier: Apache-2.0

// There are two ways to observe how files are opened: to replace the entry `open` of SQLite's own
// VFSs, so that a program finds the same VFSs under the same names; or to register a VFS of our own
// before the default one.

#include <pthread.h>
#include <string.h>

#include "CSQLiteFiles.h"
#include "sqlite-vfs.h"

typedef int (*remove_function)(struct vfs *, const char *, int);

// The VFS of Unix syncs the folder when a journal was created.
static int syncs_folder(const struct vfs *vfs, int flags) {
  bool is_unix = vfs->name && strncmp(vfs->name, "unix", 4) == 0;
  return is_unix && (flags & OPEN_CREATE) &&
         (flags & (OPEN_WAL | OPEN_MAIN_JOURNAL | OPEN_SUPER_JOURNAL));
}

int open_with(open_function real, struct vfs *vfs, const char *name, struct file *file, int flags,
              int *out_flags) {
  int code = real(vfs, name, file, flags, out_flags);
  if (code == 0 && belongs_to_wrapped(name, flags))
    wrap_file(file, name, flags, syncs_folder(vfs, flags));
  return code;
}

static int remove_with(remove_function real, struct vfs *vfs, const char *name, int syncs) {
  if (!syncs || !belongs_to_wrapped(name, 0)) return real(vfs, name, syncs);
  int64_t start = file_clock();
  int code = real(vfs, name, syncs);
  if (code == 0) count_folder_sync(file_clock() - start);
  return code;
}

// MARK: - SQLite's own

// 16 is arbitrary: a copy of SQLite has four such VFSs, and a process rarely two copies. A function for
// each, because others may call it with a VFS that they derived from it.
enum { SLOTS = 16 };
static struct {
  struct vfs *vfs;
  open_function open;
  remove_function remove;
} slots[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define SLOT(n)                                                                                   \
  static int open_##n(struct vfs *a, const char *b, struct file *c, int d, int *e) {              \
    return open_with(slots[n].open, a, b, c, d, e);                                               \
  }                                                                                               \
  static int remove_##n(struct vfs *a, const char *b, int c) {                                    \
    return remove_with(slots[n].remove, a, b, c);                                                 \
  }
SLOT(0) SLOT(1) SLOT(2) SLOT(3) SLOT(4) SLOT(5) SLOT(6) SLOT(7)
SLOT(8) SLOT(9) SLOT(10) SLOT(11) SLOT(12) SLOT(13) SLOT(14) SLOT(15)

static const struct {
  open_function open;
  remove_function remove;
} functions[SLOTS] = {
#define ENTRY(n) {open_##n, remove_##n}
    ENTRY(0), ENTRY(1), ENTRY(2), ENTRY(3), ENTRY(4), ENTRY(5), ENTRY(6), ENTRY(7),
    ENTRY(8), ENTRY(9), ENTRY(10), ENTRY(11), ENTRY(12), ENTRY(13), ENTRY(14), ENTRY(15)};

static bool is_replaced(const struct vfs *vfs) {
  for (int i = 0; i < SLOTS; i++)
    if (vfs->open == functions[i].open) return true;
  return false;
}

static void replace(struct vfs *vfs) {
  for (int i = 0; i < SLOTS; i++) {
    if (slots[i].vfs && slots[i].vfs != vfs) continue;
    slots[i].vfs = vfs;
    slots[i].open = vfs->open;
    slots[i].remove = vfs->remove;
    __atomic_store_n(&vfs->remove, functions[i].remove, __ATOMIC_RELEASE);
    __atomic_store_n(&vfs->open, functions[i].open, __ATOMIC_RELEASE);
    return;
  }
}

void CSQLiteFiles_observe(void *(*find)(const char *name)) {
  struct vfs *first = find(NULL);
  pthread_mutex_lock(&lock);
  // VFSs of others open their files by these, or do their own work.
  for (struct vfs *vfs = first; vfs; vfs = vfs->next)
    if (vfs->name && strncmp(vfs->name, "unix", 4) == 0 && !is_replaced(vfs)) replace(vfs);
  pthread_mutex_unlock(&lock);
}

// MARK: - Our own

static struct vfs own;
static struct vfs *base;

static int own_open(struct vfs *vfs, const char *name, struct file *file, int flags, int *out) {
  (void)vfs;
  return open_with(base->open, base, name, file, flags, out);
}
static int own_remove(struct vfs *vfs, const char *name, int syncs) {
  (void)vfs;
  return remove_with(base->remove, base, name, syncs);
}

#define FORWARD(type, name, parameters, arguments) \
  static type own_##name parameters { (void)vfs; return base->name arguments; }
FORWARD(int, access, (struct vfs *vfs, const char *a, int b, int *c), (base, a, b, c))
FORWARD(int, full_path, (struct vfs *vfs, const char *a, int b, char *c), (base, a, b, c))
FORWARD(void *, dl_open, (struct vfs *vfs, const char *a), (base, a))
FORWARD(void, dl_error, (struct vfs *vfs, int a, char *b), (base, a, b))
FORWARD(void, dl_close, (struct vfs *vfs, void *a), (base, a))
FORWARD(int, randomness, (struct vfs *vfs, int a, char *b), (base, a, b))
FORWARD(int, sleep, (struct vfs *vfs, int a), (base, a))
FORWARD(int, current_time, (struct vfs *vfs, double *a), (base, a))
FORWARD(int, last_error, (struct vfs *vfs, int a, char *b), (base, a, b))
FORWARD(int, current_time_int64, (struct vfs *vfs, int64_t *a), (base, a))
FORWARD(int, set_system_call, (struct vfs *vfs, const char *a, void (*b)(void)), (base, a, b))
FORWARD(const char *, next_system_call, (struct vfs *vfs, const char *a), (base, a))
static void (*own_dl_sym(struct vfs *vfs, void *a, const char *b))(void) {
  (void)vfs;
  return base->dl_sym(base, a, b);
}
static void (*own_get_system_call(struct vfs *vfs, const char *a))(void) {
  (void)vfs;
  return base->get_system_call(base, a);
}

static void fill(const struct vfs *real) {
  own = (struct vfs){.version = HAS(real, KNOWN_VFS) ? KNOWN_VFS : real->version,
                     .file_size = real->file_size, .max_path = real->max_path,
                     .name = "storescope-files", .data = real->data};
#define METHOD(name) own.name = real->name ? own_##name : NULL
  METHOD(open); METHOD(remove); METHOD(access); METHOD(full_path); METHOD(dl_open);
  METHOD(dl_error); METHOD(dl_sym); METHOD(dl_close); METHOD(randomness); METHOD(sleep);
  METHOD(current_time); METHOD(last_error);
  if (!HAS(real, 2)) return;
  METHOD(current_time_int64);
  if (!HAS(real, 3)) return;
  METHOD(set_system_call); METHOD(get_system_call); METHOD(next_system_call);
#undef METHOD
}

const char *CSQLiteFiles_vfs(void *(*find)(const char *name), int (*add)(void *vfs, int is_default)) {
  const char *name = NULL;
  pthread_mutex_lock(&lock);
  if (!base) {
    struct vfs *found = find(NULL);
    if (found) fill(found);
    if (found && add(&own, 0) == 0) base = found;
  }
  if (base) name = own.name;
  pthread_mutex_unlock(&lock);
  return name;
}

struct vfs *files_vfs(struct vfs *copy) {
  *copy = own;
  return base;
}
