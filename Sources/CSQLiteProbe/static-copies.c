// SPDX-License-Identifier: Apache-2.0

// Copies of SQLite without calls through slots: copies within a program or a wheel. They are found by the functions
// of libc that SQLite calls first, and observed by an automatic extension.

#define _GNU_SOURCE
#include "static-copies.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api-table.h"
#include "copies.h"
#include "extension.h"
#include "lifecycle.h"
#include "objects.h"
#include "recording.h"
#include "sqlite-code.h"
#include "symbol-table.h"

struct wanted {
  const char *name;
  const void *address;
};

static bool is_wanted(void *context, const char *name, const void *address, size_t size) {
  struct wanted *wanted = context;
  (void)size;
  if (strcmp(name, wanted->name) != 0) return false;
  wanted->address = address;
  return true;
}

static void *find_function(const Dl_info *object, const char *path, const char *name) {
  void *handle = dlopen(object->dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *found = dlsym(handle ? handle : RTLD_DEFAULT, name);
  if (handle) dlclose(handle);
  Dl_info info;
  if (found && dladdr(found, &info) && info.dli_fbase == object->dli_fbase) return found;
  struct wanted wanted = {name, NULL};
  find_symbol(path, object->dli_fbase, is_wanted, &wanted);
  return (void *)wanted.address;
}

static bool is_hooked_copy(const void *base) {
  for (int i = 0; i < MAX_COPIES; i++)
    if (copies[i].is_used && copies[i].base == base && copies[i].way == WAY_GOT) return true;
  return false;
}

// An object that made a recursive mutex, and if it is a copy of SQLite, how to observe it.
struct static_copy {
  const void *base;
  int (*auto_extension)(void *);
  void *(*mutex_alloc)(int);
  int (*mutex_try)(void *);
  void (*mutex_leave)(void *);
};

enum { STATIC_MAIN_MUTEX = 2, MAX_EXAMINED = 256 };
static struct static_copy examined[MAX_EXAMINED];
static size_t examined_count;
static pthread_mutex_t examined_lock = PTHREAD_MUTEX_INITIALIZER;
// The copy that begins to initialize itself on this thread, and whether it is called from here.
static _Thread_local const struct static_copy *starting;
static _Thread_local bool is_registering;

static int hook_mutex_unlock(pthread_mutex_t *mutex);

static const struct static_copy *known_copy(const void *base) {
  for (size_t i = 0; i < __atomic_load_n(&examined_count, __ATOMIC_ACQUIRE); i++)
    if (examined[i].base == base) return &examined[i];
  return NULL;
}

// Of a copy that is stripped.
static void take_functions(struct static_copy *copy, void *const *table) {
  if (!table) return;
  copy->auto_extension = (int (*)(void *))table[API_AUTO_EXTENSION];
  copy->mutex_alloc = (void *(*)(int))table[API_MUTEX_ALLOC];
  copy->mutex_try = (int (*)(void *))table[API_MUTEX_TRY];
  copy->mutex_leave = (void (*)(void *))table[API_MUTEX_LEAVE];
}

static const struct static_copy *examine(const Dl_info *object, const char *path) {
  struct static_copy copy = {.base = object->dli_fbase};
  copy.auto_extension = find_function(object, path, "sqlite3_auto_extension");
  if (copy.auto_extension) {
    copy.mutex_alloc = find_function(object, path, "sqlite3_mutex_alloc");
    copy.mutex_try = find_function(object, path, "sqlite3_mutex_try");
    copy.mutex_leave = find_function(object, path, "sqlite3_mutex_leave");
    if (!copy.mutex_alloc || !copy.mutex_try || !copy.mutex_leave) copy.auto_extension = NULL;
  }
  if (!copy.auto_extension) take_functions(&copy, find_api_table(copy.base));
  if (copy.auto_extension) {
    add_sqlite_code(copy.base);
    replace_slot(copy.base, "pthread_mutex_unlock", (void *)hook_mutex_unlock);
  }
  pthread_mutex_lock(&examined_lock);
  const struct static_copy *known = known_copy(copy.base);
  if (!known && examined_count < MAX_EXAMINED) {
    examined[examined_count] = copy;
    known = &examined[examined_count];
    __atomic_store_n(&examined_count, examined_count + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&examined_lock);
  return known;
}

// The copy in the object that calls; NULL for one that is observed by its slots. `is_new` if the object was not
// examined before.
static const struct static_copy *calling_copy(const void *caller, Dl_info *object,
                                              const char **path, bool *is_new) {
  if (!dladdr(caller, object) || !object->dli_fname) return NULL;
  const struct static_copy *known = known_copy(object->dli_fbase);
  *path = object_path(object->dli_fname);
  *is_new = !known;
  if (known) return known;
  if (is_hooked_copy(object->dli_fbase) && object->dli_fbase != base_of_program()) return NULL;
  return examine(object, *path);
}

static void register_entry(const struct static_copy *copy) {
  is_registering = true;
  copy->auto_extension(static_entry());
  is_registering = false;
}

static int hook_mutex_unlock(pthread_mutex_t *mutex) {
  int result = pthread_mutex_unlock(mutex);
  if (LIKELY(!starting || is_registering)) return result;
  const struct static_copy *copy = starting;
  starting = NULL;
  // Not while the copy's main mutex is held: it would wait for this very thread.
  void *main_mutex = copy->mutex_alloc(STATIC_MAIN_MUTEX);
  if (main_mutex && copy->mutex_try(main_mutex) != SQLITE_OK) {
    starting = copy;
    return result;
  }
  if (main_mutex) copy->mutex_leave(main_mutex);
  register_entry(copy);
  return result;
}

// The last caller that is no such copy, as a hooked SQLite, which makes a mutex for each connection.
static const void *hooked_caller;

void forget_hooked_caller(void) { __atomic_store_n(&hooked_caller, NULL, __ATOMIC_RELAXED); }

// The first thing that SQLite does when it initializes itself is to make a recursive mutex. The
// program's sqlite3_config() is over then, and an automatic extension, which sees each connection that
// opens, changes nothing. It is registered as soon as this mutex is made: sqlite3_auto_extension()
// itself then initializes SQLite, to the end.
static void made_recursive_mutex(const void *caller) {
  Dl_info object;
  const char *path;
  bool is_new;
  if (LIKELY(caller == __atomic_load_n(&hooked_caller, __ATOMIC_RELAXED))) return;
  const struct static_copy *copy = calling_copy(caller, &object, &path, &is_new);
  if (copy && copy->auto_extension) starting = copy;
  if (!copy) __atomic_store_n(&hooked_caller, caller, __ATOMIC_RELAXED);
}

// SQLite reads this variable while it initializes itself. A copy that made no mutex before is not
// built, or not configured, for threads: it may be called at once.
static void read_directory(const void *caller) {
  Dl_info object;
  const char *path;
  bool is_new = false;
  const struct static_copy *copy = calling_copy(caller, &object, &path, &is_new);
  if (!copy) return;
  if (is_new && copy->auto_extension) register_entry(copy);
  static const void *reported;
  if (!copy->auto_extension && reported != copy->base) {
    reported = copy->base;
    add_sqlite_code(copy->base);
    emit_copy_not_observed(path, "",
                           "its functions are in no symbol table (it is stripped); load the probe "
                           "as an extension");
  }
}

char *hook_getenv(const char *name) {
  if (UNLIKELY(name && name[0] == 'S' && strcmp(name, "SQLITE_TMPDIR") == 0)) {
    int error = errno;
    if (!is_registering) read_directory(__builtin_return_address(0));
    dlerror();
    errno = error;
  }
  return getenv(name);
}

int hook_mutexattr_settype(pthread_mutexattr_t *attributes, int type) {
  if (type == PTHREAD_MUTEX_RECURSIVE && !is_registering) {
    int error = errno;
    made_recursive_mutex(__builtin_return_address(0));
    dlerror();
    errno = error;
  }
  return pthread_mutexattr_settype(attributes, type);
}

// The thread that forked may not be the one that held the lock.
static void after_fork(void) { pthread_mutex_init(&examined_lock, NULL); }

LIFECYCLE(.after_fork = after_fork)
