// SPDX-License-Identifier: Apache-2.0

// SQLite's interface to files, as its documentation fixes it: https://www.sqlite.org/c3ref/vfs.html
// and https://www.sqlite.org/c3ref/io_methods.html. Later versions only append.

#ifndef sqlite_vfs_h
#define sqlite_vfs_h

#include <stdint.h>

enum {
  OPEN_CREATE = 0x4, OPEN_MAIN_DB = 0x100, OPEN_MAIN_JOURNAL = 0x800, OPEN_SUPER_JOURNAL = 0x4000,
  OPEN_WAL = 0x80000,
  SHM_UNLOCK = 1, SHM_LOCK = 2, SHM_EXCLUSIVE = 8,
  // The lock that a checkpoint holds. Recovery takes it together with others.
  CHECKPOINT_LOCK = 1,
  KNOWN_METHODS = 3, KNOWN_VFS = 3,
};

struct file {
  const struct methods *methods;
};

struct methods {
  int version;
  int (*close)(struct file *);
  int (*read)(struct file *, void *, int, int64_t);
  int (*write)(struct file *, const void *, int, int64_t);
  int (*truncate)(struct file *, int64_t);
  int (*sync)(struct file *, int);
  int (*file_size)(struct file *, int64_t *);
  int (*lock)(struct file *, int);
  int (*unlock)(struct file *, int);
  int (*check_reserved_lock)(struct file *, int *);
  int (*file_control)(struct file *, int, void *);
  int (*sector_size)(struct file *);
  int (*device_characteristics)(struct file *);
  // Version 2.
  int (*shm_map)(struct file *, int, int, int, volatile void **);
  int (*shm_lock)(struct file *, int, int, int);
  void (*shm_barrier)(struct file *);
  int (*shm_unmap)(struct file *, int);
  // Version 3.
  int (*fetch)(struct file *, int64_t, int, void **);
  int (*unfetch)(struct file *, int64_t, void *);
};

struct vfs {
  int version;
  int file_size;
  int max_path;
  struct vfs *next;
  const char *name;
  void *data;
  int (*open)(struct vfs *, const char *, struct file *, int, int *);
  int (*remove)(struct vfs *, const char *, int);
  int (*access)(struct vfs *, const char *, int, int *);
  int (*full_path)(struct vfs *, const char *, int, char *);
  void *(*dl_open)(struct vfs *, const char *);
  void (*dl_error)(struct vfs *, int, char *);
  void (*(*dl_sym)(struct vfs *, void *, const char *))(void);
  void (*dl_close)(struct vfs *, void *);
  int (*randomness)(struct vfs *, int, char *);
  int (*sleep)(struct vfs *, int);
  int (*current_time)(struct vfs *, double *);
  int (*last_error)(struct vfs *, int, char *);
  // Version 2.
  int (*current_time_int64)(struct vfs *, int64_t *);
  // Version 3.
  int (*set_system_call)(struct vfs *, const char *, void (*)(void));
  void (*(*get_system_call)(struct vfs *, const char *))(void);
  const char *(*next_system_call)(struct vfs *, const char *);
};

// A method of a later version than a VFS has is not there to be called.
#define HAS(structure, needed) ((structure)->version >= (needed))

typedef int (*open_function)(struct vfs *, const char *, struct file *, int, int *);
// Opens a file by a function, and counts its calls if its database is observed.
int open_with(open_function real, struct vfs *vfs, const char *name, struct file *file, int flags,
              int *out_flags);
// Copies our VFS, and returns the one that it forwards to: NULL before CSQLiteFiles_vfs().
struct vfs *files_vfs(struct vfs *copy);
// Replaces the methods of a file that was opened by ones that count.
void wrap_file(struct file *file, const char *name, int flags, int syncs_folder);
// Whether a file of this name belongs to a database whose calls are counted.
int belongs_to_wrapped(const char *name, int flags);
void count_folder_sync(int64_t duration);
int64_t file_clock(void);

#endif
