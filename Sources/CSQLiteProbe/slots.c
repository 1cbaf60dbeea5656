// SPDX-License-Identifier: Apache-2.0

// Finds the slots by which loaded objects call SQLite and the loader, and puts hooks into them.
//
// Not by interposition: Python and PHP load their SQLite so that a preloaded library's functions of
// the same name are not found.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loading.h"
#include "probe.h"

#if defined(__x86_64__)
enum { SLOT = R_X86_64_JUMP_SLOT, DATA = R_X86_64_GLOB_DAT, WORD = R_X86_64_64 };
#elif defined(__aarch64__)
enum { SLOT = R_AARCH64_JUMP_SLOT, DATA = R_AARCH64_GLOB_DAT, WORD = R_AARCH64_ABS64 };
#else
#error "the probe supports only the relocations of x86-64 and arm64"
#endif

struct object {
  ElfW(Addr) base;
  const ElfW(Phdr) *segments;
  int segment_count;
  char *name;
  // Addresses that the object covers, and those that the loader protects after relocation.
  ElfW(Addr) start, end, protected_start, protected_end;
  const ElfW(Sym) *symbols;
  const char *strings;
  size_t undefined_count;
  const ElfW(Rela) *tables[2];
  size_t counts[2];
  void *handle;
  bool is_copy;
};

// MARK: - Which objects are new

enum { MAX_SEEN = 4096 };
static ElfW(Addr) seen[MAX_SEEN];
static size_t seen_count;
static unsigned long long adds, subs;

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
  if (info->dlpi_adds == adds && info->dlpi_subs == subs) return 1;
  if (collection->count == collection->capacity) {
    size_t capacity = collection->capacity * 2 + 32;
    void *grown = realloc(collection->objects, capacity * sizeof(struct object));
    if (!grown) return 1;
    collection->objects = grown;
    collection->capacity = capacity;
  }
  struct object *object = &collection->objects[collection->count++];
  memset(object, 0, sizeof *object);
  object->base = info->dlpi_addr;
  object->segments = info->dlpi_phdr;
  object->segment_count = info->dlpi_phnum;
  object->name = strdup(info->dlpi_name ? info->dlpi_name : "");
  return 0;
}

static bool is_seen(ElfW(Addr) base) {
  for (size_t i = 0; i < seen_count; i++)
    if (seen[i] == base) return true;
  return false;
}

// The loader, libc and this library have no slot of interest.
static bool is_of_no_interest(const struct object *object) {
  static const char *const names[] = {"linux-vdso", "/ld-linux", "/libc.so", "storescope-probe",
                                      "/liblttng-ust"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (object->name && strstr(object->name, names[i])) return true;
  return !object->name;
}

// MARK: - Reading an object

static ElfW(Addr) address(const struct object *object, ElfW(Addr) pointer) {
  // glibc relocates the pointers of the dynamic section, musl does not.
  return pointer >= object->base ? pointer : pointer + object->base;
}

static void read_segments(struct object *object, const ElfW(Dyn) **dynamic) {
  object->start = ~(ElfW(Addr))0;
  for (int i = 0; i < object->segment_count; i++) {
    const ElfW(Phdr) *segment = &object->segments[i];
    ElfW(Addr) start = object->base + segment->p_vaddr, end = start + segment->p_memsz;
    if (segment->p_type == PT_DYNAMIC) *dynamic = (const void *)start;
    if (segment->p_type == PT_LOAD && start < object->start) object->start = start;
    if (segment->p_type == PT_LOAD && end > object->end) object->end = end;
    if (segment->p_type == PT_GNU_RELRO) {
      object->protected_start = start;
      object->protected_end = end;
    }
  }
}

static bool read_object(struct object *object) {
  const ElfW(Dyn) *dynamic = NULL;
  read_segments(object, &dynamic);
  if (!dynamic) return false;
  const uint32_t *gnu_hash = NULL, *hash = NULL;
  size_t skipped = 0;
  for (; dynamic->d_tag != DT_NULL; dynamic++) {
    ElfW(Addr) pointer = dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_SYMTAB: object->symbols = (const void *)address(object, pointer); break;
      case DT_STRTAB: object->strings = (const void *)address(object, pointer); break;
      case DT_GNU_HASH: gnu_hash = (const void *)address(object, pointer); break;
      case DT_HASH: hash = (const void *)address(object, pointer); break;
      case DT_JMPREL: object->tables[0] = (const void *)address(object, pointer); break;
      case DT_PLTRELSZ: object->counts[0] = pointer / sizeof(ElfW(Rela)); break;
      case DT_PLTREL: if (pointer != DT_RELA) return false; break;
      case DT_RELA: object->tables[1] = (const void *)address(object, pointer); break;
      case DT_RELASZ: object->counts[1] = pointer / sizeof(ElfW(Rela)); break;
      case DT_RELACOUNT: skipped = pointer; break;
    }
  }
  if (!object->symbols || !object->strings || (!gnu_hash && !hash)) return false;
  // Symbols that the GNU table does not hold, those in front, are the undefined ones.
  object->undefined_count = gnu_hash ? gnu_hash[1] : hash[1];
  if (skipped <= object->counts[1] && object->tables[1]) {
    object->tables[1] += skipped;
    object->counts[1] -= skipped;
  }
  return true;
}

// MARK: - Patching

struct wanted {
  uint32_t symbol;
  const char *name;
  bool is_sqlite;
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
    wanted[count++] = (struct wanted){(uint32_t)i, name, is_sqlite};
  }
  return count;
}

// The address that the loader will find for a slot that is not resolved yet.
static void *resolve_later(const struct object *object, const char *name, bool is_deep) {
  void *global = is_deep ? NULL : dlsym(RTLD_DEFAULT, name);
  return global ? global : object->handle ? dlsym(object->handle, name) : NULL;
}

static void *hook_of_slot(const struct object *object, const struct wanted *wanted, void *current,
                          bool is_deep) {
  if (!wanted->is_sqlite) return loading_hook(wanted->name, object->is_copy);
  bool is_unresolved = (ElfW(Addr))current >= object->start && (ElfW(Addr))current < object->end;
  if (is_unresolved) current = resolve_later(object, wanted->name, is_deep);
  return current ? sqlite_hook(wanted->name, current) : NULL;
}

static void write_slot(const struct object *object, void **slot, void *value) {
  ElfW(Addr) at = (ElfW(Addr))slot;
  bool is_protected = at >= object->protected_start && at < object->protected_end;
  if (is_protected) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)(at & ~(page - 1));
    if (mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    mprotect(start, page, PROT_READ);
  } else {
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
  }
}

static const struct wanted *find(const struct wanted *wanted, size_t count, uint32_t symbol) {
  for (size_t i = 0; i < count; i++)
    if (wanted[i].symbol == symbol) return &wanted[i];
  return NULL;
}

static void patch_object(struct object *object, bool is_deep) {
  struct wanted wanted[MAX_WANTED];
  size_t count = find_wanted(object, wanted);
  if (count == 0) return;
  for (int table = 0; table < 2; table++) {
    for (size_t i = 0; object->tables[table] && i < object->counts[table]; i++) {
      const ElfW(Rela) *relocation = &object->tables[table][i];
      uint32_t type = ELF64_R_TYPE(relocation->r_info);
      if (type != SLOT && type != DATA && type != WORD) continue;
      const struct wanted *match = find(wanted, count, ELF64_R_SYM(relocation->r_info));
      if (!match || (type == WORD && relocation->r_addend != 0)) continue;
      void **slot = (void **)(object->base + relocation->r_offset);
      void *hook = hook_of_slot(object, match, *slot, is_deep);
      if (hook && hook != *slot) write_slot(object, slot, hook);
    }
  }
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
    if (ELF64_R_TYPE(relocation->r_info) != SLOT) continue;
    const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];
    const char *name = object->strings + symbol->st_name;
    if (symbol->st_shndx == SHN_UNDEF) continue;
    if (strncmp(name, "sqlite3_open", 12) != 0 && strcmp(name, "sqlite3_wal_checkpoint") != 0) continue;
    void *hook = own_call_hook(name, (void *)(object->base + symbol->st_value));
    if (hook) write_slot(object, (void **)(object->base + relocation->r_offset), hook);
  }
}

static void patch_if_new(struct object *object, bool is_deep) {
  if (is_seen(object->base) || is_of_no_interest(object)) return;
  // Held while it is read: another thread may unload it.
  object->handle = dlopen(object->name[0] ? object->name : NULL, RTLD_LAZY | RTLD_NOLOAD);
  if (!object->handle) return;
  if (read_object(object)) {
    object->is_copy = holds_sqlite(object);
    patch_object(object, is_deep);
    if (object->is_copy) patch_own_calls(object);
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

struct extent {
  ElfW(Addr) address;
  ElfW(Addr) start, end;
};

static int find_extent(struct dl_phdr_info *info, size_t size, void *context) {
  struct extent *extent = context;
  struct object object = {.base = info->dlpi_addr, .segments = info->dlpi_phdr,
                          .segment_count = info->dlpi_phnum};
  const ElfW(Dyn) *dynamic = NULL;
  (void)size;
  read_segments(&object, &dynamic);
  if (extent->address < object.start || extent->address >= object.end) return 0;
  extent->start = object.start;
  extent->end = object.end;
  return 1;
}

void object_extent(const void *address, const void **start, const void **end) {
  struct extent extent = {(ElfW(Addr))address, 0, 0};
  dl_iterate_phdr(find_extent, &extent);
  *start = (const void *)extent.start;
  *end = (const void *)extent.end;
}

struct replacement {
  const void *base;
  const char *name;
  void *value;
  bool is_done;
};

static int replace_in(struct dl_phdr_info *info, size_t size, void *context) {
  struct replacement *replacement = context;
  struct object object = {.base = info->dlpi_addr, .segments = info->dlpi_phdr,
                          .segment_count = info->dlpi_phnum};
  (void)size;
  const ElfW(Dyn) *dynamic = NULL;
  read_segments(&object, &dynamic);
  // The base that dladdr() returns is where the file's first page is mapped.
  if (((ElfW(Addr))replacement->base & ~(ElfW(Addr))4095) != (object.start & ~(ElfW(Addr))4095))
    return 0;
  if (!read_object(&object)) return 1;
  for (int table = 0; table < 2; table++) {
    for (size_t i = 0; object.tables[table] && i < object.counts[table]; i++) {
      const ElfW(Rela) *relocation = &object.tables[table][i];
      uint32_t type = ELF64_R_TYPE(relocation->r_info);
      if (type != SLOT && type != DATA) continue;
      const ElfW(Sym) *symbol = &object.symbols[ELF64_R_SYM(relocation->r_info)];
      if (strcmp(object.strings + symbol->st_name, replacement->name) != 0) continue;
      write_slot(&object, (void **)(object.base + relocation->r_offset), replacement->value);
      replacement->is_done = true;
    }
  }
  return 1;
}

bool replace_slot(const void *base, const char *name, void *value) {
  struct replacement replacement = {base, name, value, false};
  dl_iterate_phdr(replace_in, &replacement);
  return replacement.is_done;
}

// MARK: - Destructors

enum { MAX_DESTRUCTORS = 64 };
static void (*destructors[MAX_DESTRUCTORS])(void);
static size_t destructor_count;

static void do_nothing(void) {}

static int replace_destructors_in(struct dl_phdr_info *info, size_t size, void *name) {
  struct object object = {.base = info->dlpi_addr, .segments = info->dlpi_phdr, .segment_count = info->dlpi_phnum};
  const ElfW(Dyn) *dynamic = NULL;
  void **array = NULL;
  size_t count = 0;
  (void)size;
  if (!info->dlpi_name || !strstr(info->dlpi_name, name)) return 0;
  read_segments(&object, &dynamic);
  for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
    if (dynamic->d_tag == DT_FINI_ARRAY) array = (void **)address(&object, dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_FINI_ARRAYSZ) count = dynamic->d_un.d_val / sizeof *array;
  }
  for (size_t i = 0; array && i < count; i++) {
    if (array[i] == (void *)do_nothing || destructor_count == MAX_DESTRUCTORS) continue;
    destructors[destructor_count++] = (void (*)(void))array[i];
    write_slot(&object, &array[i], (void *)do_nothing);
  }
  return 0;
}

void replace_destructors(const char *name) { dl_iterate_phdr(replace_destructors_in, (void *)name); }

void run_replaced_destructors(void) {
  while (destructor_count > 0) destructors[--destructor_count]();
}

// MARK: - All objects

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_requested;

// Patches the objects that were loaded since the last call. Never waits for another thread, which
// may hold the loader's lock: that thread then also patches the new objects of this one.
void patch_new_objects_of(bool is_deep) {
  __atomic_store_n(&is_requested, true, __ATOMIC_RELEASE);
  while (__atomic_load_n(&is_requested, __ATOMIC_ACQUIRE) && pthread_mutex_trylock(&lock) == 0) {
    struct collection collection = {0};
    __atomic_store_n(&is_requested, false, __ATOMIC_RELEASE);
    dl_iterate_phdr(collect, &collection);
    if (collection.count > 0) patch_collected(&collection, is_deep);
    adds = collection.adds;
    subs = collection.subs;
    free(collection.objects);
    pthread_mutex_unlock(&lock);
  }
}

void patch_new_objects(void) { patch_new_objects_of(false); }

void slots_after_fork(void) { pthread_mutex_init(&lock, NULL); }
