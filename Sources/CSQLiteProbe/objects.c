// SPDX-License-Identifier: Apache-2.0

// The objects that the loader mapped: their segments, tables and slots.

#define _GNU_SOURCE
#include "objects.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

const char *object_path(const char *name) {
  static char program[4096];
  if (name && strchr(name, '/')) return name;
  if (!program[0]) {
    ssize_t count = readlink("/proc/self/exe", program, sizeof program - 1);
    if (count < 0) return name ? name : "";
  }
  return program;
}

const void *base_of_program(void) {
  Dl_info info;
  return dladdr((const void *)getauxval(AT_ENTRY), &info) ? info.dli_fbase : NULL;
}

static ElfW(Addr) address_in(const struct object *object, ElfW(Addr) pointer) {
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

// A program that exports nothing has one bucket without a symbol; some linkers write no number of symbols then.
static bool is_empty(const uint32_t *gnu_hash) { return gnu_hash[0] == 1 && gnu_hash[4 + 2 * gnu_hash[2]] == 0; }

// The number of symbols up to the last one with a relocation; linkers differ in the contents after it.
static size_t count_in_relocations(const struct object *object) {
  size_t count = 0;
  for (int table = 0; table < 2; table++)
    for (size_t i = 0; object->tables[table] && i < object->counts[table]; i++) {
      size_t number = ELF64_R_SYM(object->tables[table][i].r_info);
      if (number >= count) count = number + 1;
    }
  return count;
}

bool read_object(struct object *object) {
  const ElfW(Dyn) *dynamic = NULL;
  read_segments(object, &dynamic);
  if (!dynamic) return false;
  const uint32_t *gnu_hash = NULL, *hash = NULL;
  size_t skipped = 0;
  for (; dynamic->d_tag != DT_NULL; dynamic++) {
    ElfW(Addr) pointer = dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_SYMTAB: object->symbols = (const void *)address_in(object, pointer); break;
      case DT_STRTAB: object->strings = (const void *)address_in(object, pointer); break;
      case DT_GNU_HASH: gnu_hash = (const void *)address_in(object, pointer); break;
      case DT_HASH: hash = (const void *)address_in(object, pointer); break;
      case DT_JMPREL: object->tables[0] = (const void *)address_in(object, pointer); break;
      case DT_PLTRELSZ: object->counts[0] = pointer / sizeof(ElfW(Rela)); break;
      case DT_PLTREL: if (pointer != DT_RELA) return false; break;
      case DT_RELA: object->tables[1] = (const void *)address_in(object, pointer); break;
      case DT_RELASZ: object->counts[1] = pointer / sizeof(ElfW(Rela)); break;
      case DT_RELACOUNT: skipped = pointer; break;
    }
  }
  if (!object->symbols || !object->strings || (!gnu_hash && !hash)) return false;
  if (skipped <= object->counts[1] && object->tables[1]) {
    object->tables[1] += skipped;
    object->counts[1] -= skipped;
  }
  // Symbols that the GNU table lacks, the first ones, are the undefined symbols.
  object->undefined_count = gnu_hash && !is_empty(gnu_hash) ? gnu_hash[1] : hash ? hash[1] : count_in_relocations(object);
  return true;
}

void write_slot(const struct object *object, void **slot, void *value) {
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
      if (type != SLOT_RELOCATION && type != DATA_RELOCATION) continue;
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
    if (dynamic->d_tag == DT_FINI_ARRAY) array = (void **)address_in(&object, dynamic->d_un.d_ptr);
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
