// SPDX-License-Identifier: Apache-2.0

// Hooks for the loader's functions, so that objects loaded later are seen.
//
// The result of dlopen() and dlsym() depends on their caller. They are therefore called by a jump
// where this matters, so that the caller's return address stays on the stack.

#define _GNU_SOURCE
#include "loading.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "ending.h"
#include "filters.h"
#include "hooks.h"
#include "lifecycle.h"
#include "objects.h"
#include "portable.h"
#include "recording.h"
#include "slots.h"
#include "static-copies.h"
#include "test-name.h"
#include "waits.h"

// Whether objects may have been loaded that were not examined.
static int is_dirty;

static void look_at_new_objects(bool is_deep) {
  if (is_idle) return;
  int error = errno;
  __atomic_store_n(&is_dirty, 0, __ATOMIC_RELAXED);
  patch_new_objects(is_deep);
  // A successful call must leave no error message.
  dlerror();
  errno = error;
}

// Whether an object has a search path of its own. musl searches that of the program alone.
static bool has_search_path(const void *object) {
#ifdef __GLIBC__
  Dl_info info;
  struct link_map *map = NULL;
  if (!dladdr1(object, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return true;
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_RUNPATH || entry->d_tag == DT_RPATH) return true;
#else
  (void)object;
#endif
  return false;
}

// Whether a library's path depends on the object that requests it.
static bool depends_on_caller(const char *file, const void *caller) {
  if (!file || strchr(file, '$')) return true;
  return !strchr(file, '/') && has_search_path(caller);
}

static void *hook_dlopen(const char *file, int flags) {
  if (depends_on_caller(file, __builtin_return_address(0))) {
    __atomic_store_n(&is_dirty, 1, __ATOMIC_RELAXED);
    return dlopen(file, flags);
  }
  void *handle = dlopen(file, flags);
  if (handle && !(flags & RTLD_NOLOAD)) look_at_new_objects((flags & RTLD_DEEPBIND) != 0);
  return handle;
}

static void *dlsym_sqlite(void *handle, const char *name) {
  void *function = dlsym(handle, name);
  void *hook = function ? sqlite_hook(name, function) : NULL;
  // Functions that this copy lacks were looked up as well; a successful call leaves no error message.
  if (hook) dlerror();
  return hook ? hook : function;
}

static void *hook_dlsym(void *handle, const char *name) {
  if (UNLIKELY(__atomic_load_n(&is_dirty, __ATOMIC_RELAXED))) look_at_new_objects(false);
  if (!is_idle && handle != RTLD_DEFAULT && handle != RTLD_NEXT && name && name[0] == 's' &&
      strncmp(name, "sqlite3_", 8) == 0)
    return dlsym_sqlite(handle, name);
  return dlsym(handle, name);
}

static int hook_dlclose(void *handle) {
  __atomic_store_n(&is_dirty, 1, __ATOMIC_RELAXED);
  int result = dlclose(handle);
  forget_hooked_caller();
  return result;
}

// MARK: - Hooked functions

void *loading_hook(const char *name, bool is_copy) {
  switch (name[0]) {
    case '_': return strcmp(name, "_exit") == 0 || strcmp(name, "_Exit") == 0 ? ending_hook(name) : NULL;
    case 'd':
      if (strcmp(name, "dlopen") == 0) return (void *)hook_dlopen;
      if (strcmp(name, "dlsym") == 0) return (void *)hook_dlsym;
      if (strcmp(name, "dlclose") == 0) return (void *)hook_dlclose;
      return NULL;
    case 'g': return strcmp(name, "getenv") == 0 ? (void *)hook_getenv : NULL;
    case 'p':
      if (strcmp(name, "pthread_exit") == 0) return ending_hook(name);
      if (strcmp(name, "prctl") == 0) return filter_hook(name);
      if (strcmp(name, "putenv") == 0) return environment_hook(name);
      return strcmp(name, "pthread_mutexattr_settype") == 0 ? (void *)hook_mutexattr_settype : NULL;
    case 'u':
    case 'n':
    case 's':
      if (strcmp(name, "syscall") == 0) return filter_hook(name);
      if (strcmp(name, "setenv") == 0 || strcmp(name, "unsetenv") == 0) return environment_hook(name);
      return is_copy ? waiting_hook(name) : NULL;
    default: return NULL;
  }
}

static struct copy *known_by_address(const void *function) {
  for (int i = 0; i < MAX_COPIES; i++)
    if (copies[i].is_used && function >= copies[i].start && function < copies[i].end)
      return &copies[i];
  return NULL;
}

struct object_functions {
  void *handle;
  const void *start, *end;
};

static void *resolve_in_object(void *context, const char *name) {
  const struct object_functions *functions = context;
  void *found = dlsym(functions->handle, name);
  return found >= functions->start && found < functions->end ? found : NULL;
}

static struct copy *copy_of_object(const Dl_info *object, const char **reason) {
  void *handle = dlopen(object->dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  struct object_functions functions = {.handle = handle ? handle : RTLD_DEFAULT};
  object_extent(object->dli_fbase, &functions.start, &functions.end);
  struct copy *copy = copy_of_functions(object_path(object->dli_fname), object->dli_fbase,
                                        resolve_in_object, &functions, WAY_GOT, reason);
  if (handle) dlclose(handle);
  return copy;
}

// Whether a copy of SQLite serves itself: its object opens connections by its own functions.
static bool is_open_function(int function) {
  return function == HOOKED_open || function == HOOKED_open_v2 || function == HOOKED_open16;
}

void *own_call_hook(const char *name, void *function) {
  void *hook = sqlite_hook(name, function);
  for (int copy = 0; hook && copy < MAX_COPIES; copy++)
    for (int i = 0; i < HOOKED_COUNT; i++)
      if (hooked_functions[copy][i] == hook)
        return is_open_function(i) ? own_open_functions[copy][i - HOOKED_open] : hook;
  return NULL;
}

static int number_of_function(const char *name) {
  for (int i = 0; i < HOOKED_COUNT; i++)
    if (strcmp(hooked_names[i], name) == 0) return i;
  return -1;
}

void *sqlite_hook(const char *name, void *function) {
  int number = number_of_function(name);
  if (number < 0) return NULL;
  const char *reason = NULL;
  Dl_info object;
  struct copy *copy = known_by_address(function);
  // Another copy may be mapped where an unloaded one was.
  if (copy && ((void **)&copy->real)[number] != function) copy = NULL;
  if (!copy) {
    if (!dladdr(function, &object) || !object.dli_fname) return NULL;
    // Already a hook.
    if (object.dli_fbase == __ehdr_start) return NULL;
    copy = copy_of_object(&object, &reason);
  }
  if (!copy) {
    if (number == HOOKED_open_v2) emit_copy_not_observed(object_path(object.dli_fname), "", reason);
    return NULL;
  }
  return ((void **)&copy->real)[number] == function ? hooked_functions[copy - copies][number] : NULL;
}

static bool is_attached;

bool is_for_recorder(void) { return is_attached; }

__attribute__((constructor)) static void start(void) {
  const char *setting = getenv("STORE_PROBE");
  Dl_info self;
  is_idle = !is_for_this_libc() || (setting && strcmp(setting, "0") == 0) || !dladdr((void *)start, &self);
  if (is_idle) return;
  // A recorder that attaches spells the path so, and calls sqliteprobe_attach() then.
  is_idle = is_attached = strstr(self.dli_fname, "/.//") != NULL;
  look_at_new_objects(false);
}
