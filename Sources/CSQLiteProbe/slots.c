// SPDX-License-Identifier: Apache-2.0

// Finds the slots by which loaded objects call SQLite and the loader, and puts hooks into them.
//
// Not by interposition: Python and PHP load their SQLite so that a preloaded library's functions of
// the same name are not found.

#define _GNU_SOURCE
#include "slots.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "copies.h"
#include "descriptors.h"
#include "file-hooks.h"
#include "lifecycle.h"
#include "loading.h"
#include "objects.h"

// MARK: - Which objects are new

enum { MAX_SEEN = 4096 };
static ElfW(Addr) seen[MAX_SEEN];
static size_t seen_count;
// Whether the objects that were seen get the hooks for files.
static bool is_hooking_files;
// As the loader counts; musl begins with 0.
static unsigned long long adds = ~0ull, subs;

struct collection {
  struct object *objects;
  size_t count, capacity;
  unsigned long long adds, subs;
};

static int collect(struct dl_phdr_info *info, size_t size, void *context) {
  struct collection *collection = context;
  (void)size;
  collection->adds = info->dlpi_adds;
  collection->subs = info->dlpi_subs;
  // No object was loaded or unloaded since the last call.
  if (info->dlpi_adds == adds && info->dlpi_subs == subs && !is_hooking_files) return 1;
  if (collection->count == collection->capacity) {
    size_t capacity = collection->capacity * 2 + 32;
    void *grown = realloc(collection->objects, capacity * sizeof(struct object));
    if (!grown) return 1;
    collection->objects = grown;
    collection->capacity = capacity;
  }
  // The first one is the program, which musl names by its path.
  const char *name = collection->count > 0 && info->dlpi_name ? info->dlpi_name : "";
  struct object *object = &collection->objects[collection->count++];
  memset(object, 0, sizeof *object);
  object->base = info->dlpi_addr;
  object->segments = info->dlpi_phdr;
  object->segment_count = info->dlpi_phnum;
  object->name = strdup(name);
  return 0;
}

static bool is_seen(ElfW(Addr) base) {
  for (size_t i = 0; i < seen_count; i++)
    if (seen[i] == base) return true;
  return false;
}

// The loader, libc and this library have no slot of interest.
static bool is_of_no_interest(const struct object *object) {
  static const char *const names[] = {"linux-vdso", "/ld-linux", "/libc.so", "storescope-probe-lttng", "/liblttng-ust"};
  if (object->base == (ElfW(Addr))__ehdr_start) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (object->name && strstr(object->name, names[i])) return true;
  return !object->name;
}

// MARK: - Slots that were written

struct written {
  ElfW(Addr) base;
  void **slot;
  void *hook, *original;
};
static struct written *written;
static size_t written_count, written_capacity;

static void hook_slot(const struct object *object, void **slot, void *hook) {
  if (written_count == written_capacity) {
    size_t capacity = written_capacity * 2 + 128;
    struct written *grown = realloc(written, capacity * sizeof *grown);
    if (!grown) return;
    written = grown;
    written_capacity = capacity;
  }
  written[written_count++] = (struct written){object->base, slot, hook, *slot};
  write_slot(object, slot, hook);
}

// MARK: - Patching

enum target { OF_SQLITE, OF_LOADER, OF_FILES };
struct wanted {
  uint32_t symbol;
  const char *name;
  enum target target;
};
enum { MAX_WANTED = HOOKED_COUNT + 24 };

static bool is_sqlite_name(const char *name) {
  if (strncmp(name, "sqlite3_", 8) != 0) return false;
  for (int i = 0; i < HOOKED_COUNT; i++)
    if (strcmp(name, hooked_names[i]) == 0) return true;
  return false;
}

static size_t find_wanted(const struct object *object, struct wanted wanted[MAX_WANTED]) {
  size_t count = 0;
  for (size_t i = 1; i < object->undefined_count && count < MAX_WANTED; i++) {
    const ElfW(Sym) *symbol = &object->symbols[i];
    if (symbol->st_shndx != SHN_UNDEF) continue;
    const char *name = object->strings + symbol->st_name;
    bool is_sqlite = name[0] == 's' && is_sqlite_name(name);
    if (!is_sqlite && !loading_hook(name, object->is_copy)) continue;
    wanted[count++] = (struct wanted){(uint32_t)i, name, is_sqlite ? OF_SQLITE : OF_LOADER};
  }
  return count;
}

// The address that the loader will find for a slot that is not resolved yet.
static void *resolve_later(const struct object *object, const char *name, bool is_deep) {
  void *global = is_deep ? NULL : dlsym(RTLD_DEFAULT, name);
  return global ? global : object->handle ? dlsym(object->handle, name) : NULL;
}

// A function of the same name that is not libc's, as a plug-in's own, is left as it is.
static bool is_of_libc(const char *name, void *current) {
  return current == dlsym(RTLD_DEFAULT, name) || current == loading_hook(name, false);
}

// SQLite's own calls are left out, except calls that close LTTng's descriptors. The program's object may have others
// beside them.
static void *files_hook(const struct object *object, const char *name) {
  return object->is_copy && object->name[0] ? descriptor_hook(name) : file_hook(name);
}

static void *hook_of_slot(const struct object *object, const struct wanted *wanted, void *current,
                          bool is_deep) {
  bool is_unresolved = (ElfW(Addr))current >= object->start && (ElfW(Addr))current < object->end;
  if (wanted->target == OF_FILES) return is_unresolved || is_of_libc(wanted->name, current) ? files_hook(object, wanted->name) : NULL;
  if (wanted->target == OF_LOADER) return loading_hook(wanted->name, object->is_copy);
  if (is_unresolved) current = resolve_later(object, wanted->name, is_deep);
  return current ? sqlite_hook(wanted->name, current) : NULL;
}

static const struct wanted *find(const struct wanted *wanted, size_t count, uint32_t symbol) {
  for (size_t i = 0; i < count; i++)
    if (wanted[i].symbol == symbol) return &wanted[i];
  return NULL;
}

static void patch_slots(struct object *object, const struct wanted *wanted, size_t count, bool is_deep) {
  for (int table = 0; count > 0 && table < 2; table++) {
    for (size_t i = 0; object->tables[table] && i < object->counts[table]; i++) {
      const ElfW(Rela) *relocation = &object->tables[table][i];
      uint32_t type = ELF64_R_TYPE(relocation->r_info);
      if (type != SLOT_RELOCATION && type != DATA_RELOCATION && type != WORD_RELOCATION) continue;
      const struct wanted *match = find(wanted, count, ELF64_R_SYM(relocation->r_info));
      if (!match || (type == WORD_RELOCATION && relocation->r_addend != 0)) continue;
      void **slot = (void **)(object->base + relocation->r_offset);
      void *hook = hook_of_slot(object, match, *slot, is_deep);
      if (hook && hook != *slot) hook_slot(object, slot, hook);
    }
  }
}

static void patch_object(struct object *object, bool is_deep) {
  struct wanted wanted[MAX_WANTED];
  patch_slots(object, wanted, find_wanted(object, wanted), is_deep);
}

// Whether an object holds a copy of SQLite: its own sleeps are then waits for locks.
static bool holds_sqlite(const struct object *object) {
  if (!object->handle) return false;
  void *function = dlsym(object->handle, "sqlite3_libversion");
  return function && (ElfW(Addr))function >= object->start && (ElfW(Addr))function < object->end;
}

// A copy's calls to its own sqlite3_open() and, in automatic checkpoints, sqlite3_wal_checkpoint(),
// where they go through a slot.
static void patch_own_calls(struct object *object) {
  const ElfW(Rela) *relocation = object->tables[0];
  for (size_t i = 0; relocation && i < object->counts[0]; i++, relocation++) {
    if (ELF64_R_TYPE(relocation->r_info) != SLOT_RELOCATION) continue;
    const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];
    const char *name = object->strings + symbol->st_name;
    if (symbol->st_shndx == SHN_UNDEF) continue;
    if (strncmp(name, "sqlite3_open", 12) != 0 && strcmp(name, "sqlite3_wal_checkpoint") != 0) continue;
    void *hook = own_call_hook(name, (void *)(object->base + symbol->st_value));
    if (hook) hook_slot(object, (void **)(object->base + relocation->r_offset), hook);
  }
}

// Whether the process has opened a connection.
static bool has_file_hooks;

// Adds the undefined symbol of a relocation. The symbol of a function pointer is not among the
// first ones.
static size_t add_file_function(const struct object *object, uint32_t number, struct wanted wanted[MAX_WANTED], size_t count) {
  const ElfW(Sym) *symbol = &object->symbols[number];
  const char *name = object->strings + symbol->st_name;
  if (number == 0 || symbol->st_shndx != SHN_UNDEF || count == MAX_WANTED || !files_hook(object, name)) return count;
  if (!find(wanted, count, number)) wanted[count++] = (struct wanted){number, name, OF_FILES};
  return count;
}

static void patch_files(struct object *object) {
  struct wanted wanted[MAX_WANTED];
  size_t count = 0;
  if (!has_file_hooks) return;
  for (int table = 0; table < 2; table++)
    for (size_t i = 0; object->tables[table] && i < object->counts[table]; i++)
      count = add_file_function(object, (uint32_t)ELF64_R_SYM(object->tables[table][i].r_info), wanted, count);
  patch_slots(object, wanted, count, false);
}

// Keeps an object loaded while it is read. Another thread may have unloaded it since it was listed, and loaded it again
// elsewhere.
static bool hold(struct object *object) {
  struct link_map *map = NULL;
  object->handle = object->name ? dlopen(object->name[0] ? object->name : NULL, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!object->handle) return false;
  if (dlinfo(object->handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_addr == object->base) return true;
  dlclose(object->handle);
  return false;
}

static void patch_if_new(struct object *object, bool is_deep) {
  bool is_new = !is_seen(object->base);
  if ((!is_new && !is_hooking_files) || is_of_no_interest(object) || !hold(object)) return;
  if (read_object(object)) {
    object->is_copy = holds_sqlite(object);
    if (is_new) patch_object(object, is_deep);
    if (is_new && object->is_copy) patch_own_calls(object);
    patch_files(object);
  }
  dlclose(object->handle);
}

static void patch_collected(struct collection *collection, bool is_deep) {
  for (size_t i = 0; i < collection->count; i++)
    patch_if_new(&collection->objects[i], is_deep);
  // Addresses of objects that were unloaded may be used again.
  seen_count = 0;
  for (size_t i = 0; i < collection->count; i++) {
    if (seen_count < MAX_SEEN) seen[seen_count++] = collection->objects[i].base;
    free(collection->objects[i].name);
  }
}

// MARK: - All objects

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_requested;

void patch_new_objects(bool is_deep) {
  __atomic_store_n(&is_requested, true, __ATOMIC_RELEASE);
  while (__atomic_load_n(&is_requested, __ATOMIC_ACQUIRE) && pthread_mutex_trylock(&lock) == 0) {
    struct collection collection = {0};
    __atomic_store_n(&is_requested, false, __ATOMIC_RELEASE);
    dl_iterate_phdr(collect, &collection);
    if (collection.count > 0) patch_collected(&collection, is_deep);
    is_hooking_files = false;
    adds = collection.adds;
    subs = collection.subs;
    free(collection.objects);
    pthread_mutex_unlock(&lock);
  }
}

// With the first connection: a process that opens none pays nothing.
static void hook_files(void) {
  int error = errno;
  has_file_hooks = true;
  is_hooking_files = true;
  patch_new_objects(false);
  dlerror();
  errno = error;
}

static void restore_object(struct object *object) {
  if (!hold(object)) return;
  bool is_read = read_object(object);
  for (size_t i = 0; is_read && i < written_count; i++) {
    const struct written *slot = &written[i];
    ElfW(Addr) address = (ElfW(Addr))slot->slot;
    // Another object may be where an unloaded one was.
    if (slot->base != object->base || address < object->start || address >= object->end) continue;
    if (*slot->slot == slot->hook) write_slot(object, slot->slot, slot->original);
  }
  dlclose(object->handle);
}

void restore_slots(void) {
  struct collection collection = {0};
  pthread_mutex_lock(&lock);
  adds = ~0ull;
  dl_iterate_phdr(collect, &collection);
  for (size_t i = 0; i < collection.count; i++) {
    restore_object(&collection.objects[i]);
    free(collection.objects[i].name);
  }
  free(collection.objects);
  written_count = seen_count = 0;
  pthread_mutex_unlock(&lock);
}

// The thread that forked may not be the one that held the lock.
static void after_fork(void) { pthread_mutex_init(&lock, NULL); }

LIFECYCLE(.start = hook_files, .after_fork = after_fork)
