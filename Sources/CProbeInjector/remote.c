// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "remote.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MAX_SEGMENTS = 64, MAX_DYNAMIC = 256, MAX_SYMBOLS = 1 << 20 };

bool remote_read(const struct remote *remote, uintptr_t address, void *bytes, size_t count) {
  return pread(remote->memory, bytes, count, (off_t)address) == (ssize_t)count;
}

bool remote_write(const struct remote *remote, uintptr_t address, const void *bytes, size_t count) {
  return pwrite(remote->memory, bytes, count, (off_t)address) == (ssize_t)count;
}

uintptr_t remote_find(const struct remote *remote, const struct remote_object *object, const void *bytes, size_t count) {
  static unsigned char page[4096 + 64];
  for (uintptr_t at = object->start; count <= 64 && at < object->end; at += 4096) {
    if (!remote_read(remote, at, page, 4096 + count)) continue;
    const unsigned char *found = memmem(page, 4096 + count, bytes, count);
    if (found) return at + (uintptr_t)(found - page);
  }
  return 0;
}

// Calls a function with each line of the mapped files and memory, until it returns false.
static void each_mapping(pid_t process, bool (*use)(void *context, const char *line), void *context) {
  char path[64], line[4096];
  snprintf(path, sizeof path, "/proc/%d/maps", process);
  FILE *maps = fopen(path, "re");
  while (maps && fgets(line, sizeof line, maps) && use(context, line)) {}
  if (maps) fclose(maps);
}

struct range {
  uintptr_t start, end;
  bool is_writable;
};

static bool is_not_around(void *context, const char *line) {
  enum { GROWTH = 1 << 17 };
  struct range *range = context;
  unsigned long start, end;
  char access[8];
  if (sscanf(line, "%lx-%lx %7s", &start, &end, access) != 3) return true;
  if (strstr(line, "[stack]")) start -= GROWTH;
  if (range->start < start || range->end > end) return true;
  range->is_writable = strncmp(access, "rw", 2) == 0;
  return false;
}

bool remote_is_writable(const struct remote *remote, uintptr_t start, uintptr_t end) {
  struct range range = {start, end, false};
  each_mapping(remote->process, is_not_around, &range);
  return range.is_writable;
}

// MARK: - Objects

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static enum object_kind kind_of(const char *path) {
  const char *name = name_of(path);
  // `ld-linux-x86-64.so.2` and `libc.so.6`; before glibc 2.34 `ld-2.31.so` and `libc-2.31.so`.
  if (strncmp(name, "ld-", 3) == 0 || strncmp(name, "ld.so", 5) == 0) return OBJECT_LOADER;
  if (strncmp(name, "libstorescope-probe", 19) == 0 || strncmp(name, "liblttng-ust", 12) == 0) return OBJECT_PROBE;
  bool is_libc = strncmp(name, "libc.so.6", 9) == 0 || strncmp(name, "libc-2.", 7) == 0 ||
                 strncmp(name, "libpthread", 10) == 0 || strncmp(name, "libdl", 5) == 0;
  return is_libc ? OBJECT_LIBC : OBJECT_OTHER;
}

static size_t read_headers(const struct remote *remote, uintptr_t start, Elf64_Phdr segments[MAX_SEGMENTS]) {
  Elf64_Ehdr header;
  if (!remote_read(remote, start, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  if (header.e_phnum > MAX_SEGMENTS || header.e_phentsize != sizeof *segments) return 0;
  bool is_read = remote_read(remote, start + header.e_phoff, segments, header.e_phnum * sizeof *segments);
  return is_read ? header.e_phnum : 0;
}

static void read_object(const struct remote *remote, struct remote_object *object) {
  Elf64_Phdr segments[MAX_SEGMENTS];
  size_t count = read_headers(remote, object->start, segments);
  for (size_t i = 0; i < count; i++)
    if (segments[i].p_type == PT_LOAD) {
      object->bias = object->start - (segments[i].p_vaddr & ~(uintptr_t)4095);
      break;
    }
  for (size_t i = 0; i < count; i++) {
    if (segments[i].p_type == PT_GNU_EH_FRAME) object->frames = object->bias + segments[i].p_vaddr;
    uintptr_t end = object->bias + segments[i].p_vaddr + segments[i].p_memsz;
    if (segments[i].p_type == PT_LOAD && end > object->end) object->end = end;
  }
}

static struct remote_object *add_object(struct remote *remote) {
  size_t size = (remote->object_count + 1) * sizeof *remote->objects;
  struct remote_object *grown = realloc(remote->objects, size);
  if (!grown) return NULL;
  remote->objects = grown;
  struct remote_object *object = &grown[remote->object_count++];
  memset(object, 0, sizeof *object);
  return object;
}

// Reads `7f12c0a00000-7f12c0b00000 r-xp 00028000 fd:00 1234   /usr/lib/libc.so.6`.
static bool read_mapping(void *context, const char *line) {
  struct remote *remote = context;
  unsigned long start, end, offset, inode;
  unsigned major, minor;
  char access[8], path[256] = "";
  int count = sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %255[^\n]", &start, &end, access, &offset, &major, &minor,
                     &inode, path);
  if (count < 7) return true;
  bool is_vdso = strcmp(path, "[vdso]") == 0;
  if (!is_vdso && (inode == 0 || path[0] != '/')) return true;
  struct remote_object *last = remote->object_count ? &remote->objects[remote->object_count - 1] : NULL;
  uint64_t device = makedev(major, minor);
  if (last && offset != 0 && last->inode == inode && last->device == device) {
    if (end > last->end) last->end = end;
    return true;
  }
  struct remote_object *object = offset == 0 ? add_object(remote) : NULL;
  if (!object) return true;
  object->start = start;
  object->end = end;
  object->device = device;
  object->inode = inode;
  object->kind = kind_of(path);
  snprintf(object->path, sizeof object->path, "%s", path);
  read_object(remote, object);
  return true;
}

static void read_symbols(const struct remote *remote, struct remote_object *object);

bool remote_open(struct remote *remote, pid_t process) {
  char path[64];
  *remote = (struct remote){.process = process};
  snprintf(path, sizeof path, "/proc/%d/mem", process);
  remote->memory = open(path, O_RDWR | O_CLOEXEC);
  each_mapping(process, read_mapping, remote);
  // Before a thread is stopped.
  for (size_t i = 0; i < remote->object_count; i++) {
    struct remote_object *object = &remote->objects[i];
    read_symbols(remote, object);
    // Its file may have any name.
    if (remote_function(object, "sqliteprobe_attach")) object->kind = OBJECT_PROBE;
  }
  return remote->memory >= 0 && remote->object_count > 0;
}

void remote_close(struct remote *remote) {
  for (size_t i = 0; i < remote->object_count; i++) {
    free(remote->objects[i].symbols);
    free(remote->objects[i].names);
  }
  free(remote->objects);
  if (remote->memory >= 0) close(remote->memory);
  *remote = (struct remote){.memory = -1};
}

struct remote_object *remote_object_at(const struct remote *remote, uintptr_t address) {
  for (size_t i = 0; i < remote->object_count; i++)
    if (address >= remote->objects[i].start && address < remote->objects[i].end) return &remote->objects[i];
  return NULL;
}

// MARK: - Symbols

struct tables {
  uintptr_t symbols, names, gnu_hash, hash;
  size_t names_size;
};

static bool read_tables(const struct remote *remote, const struct remote_object *object, struct tables *tables) {
  Elf64_Phdr segments[MAX_SEGMENTS];
  Elf64_Dyn dynamic[MAX_DYNAMIC];
  size_t count = read_headers(remote, object->start, segments), entries = 0;
  *tables = (struct tables){0};
  for (size_t i = 0; i < count; i++) {
    if (segments[i].p_type != PT_DYNAMIC) continue;
    entries = segments[i].p_memsz / sizeof *dynamic;
    if (entries > MAX_DYNAMIC) entries = MAX_DYNAMIC;
    if (!remote_read(remote, object->bias + segments[i].p_vaddr, dynamic, entries * sizeof *dynamic)) return false;
  }
  for (size_t i = 0; i < entries && dynamic[i].d_tag != DT_NULL; i++) {
    uintptr_t value = dynamic[i].d_un.d_ptr;
    // glibc relocates the pointers of the dynamic section, except that of the vDSO.
    uintptr_t address = value >= object->start && value < object->end ? value : object->bias + value;
    switch (dynamic[i].d_tag) {
      case DT_SYMTAB: tables->symbols = address; break;
      case DT_STRTAB: tables->names = address; break;
      case DT_STRSZ: tables->names_size = value; break;
      case DT_GNU_HASH: tables->gnu_hash = address; break;
      case DT_HASH: tables->hash = address; break;
    }
  }
  return tables->symbols && tables->names && tables->names_size < 1u << 28;
}

// The last chain of the hash table ends with the last symbol.
static size_t count_by_gnu_hash(const struct remote *remote, uintptr_t table) {
  uint32_t header[4], last = 0, hash = 0;
  if (!remote_read(remote, table, header, sizeof header) || header[0] > MAX_SYMBOLS) return 0;
  uintptr_t buckets = table + sizeof header + (uintptr_t)header[2] * 8, chains = buckets + (uintptr_t)header[0] * 4;
  uint32_t *words = malloc((size_t)header[0] * 4 + 4);
  bool is_read = words && remote_read(remote, buckets, words, (size_t)header[0] * 4);
  for (uint32_t i = 0; is_read && i < header[0]; i++)
    if (words[i] > last) last = words[i];
  free(words);
  for (; last >= header[1] && last < MAX_SYMBOLS && !(hash & 1); last++)
    if (!remote_read(remote, chains + (uintptr_t)(last - header[1]) * 4, &hash, sizeof hash)) return 0;
  return last;
}

static size_t count_symbols(const struct remote *remote, const struct tables *tables) {
  uint32_t header[2] = {0};
  if (tables->gnu_hash) return count_by_gnu_hash(remote, tables->gnu_hash);
  return tables->hash && remote_read(remote, tables->hash, header, sizeof header) ? header[1] : 0;
}

static void keep_functions(struct remote_object *object, const Elf64_Sym *symbols, size_t count, size_t names_size) {
  for (size_t i = 0; i < count; i++) {
    int type = ELF64_ST_TYPE(symbols[i].st_info);
    if (symbols[i].st_shndx == SHN_UNDEF || symbols[i].st_name >= names_size) continue;
    if (type != STT_FUNC && type != STT_GNU_IFUNC) continue;
    uintptr_t start = object->bias + symbols[i].st_value;
    object->symbols[object->symbol_count++] =
        (struct remote_symbol){start, start + symbols[i].st_size, object->names + symbols[i].st_name};
  }
}

static void read_symbols(const struct remote *remote, struct remote_object *object) {
  struct tables tables;
  if (!read_tables(remote, object, &tables)) return;
  size_t count = count_symbols(remote, &tables);
  if (count == 0 || count > MAX_SYMBOLS) return;
  Elf64_Sym *symbols = malloc(count * sizeof *symbols);
  object->symbols = malloc(count * sizeof *object->symbols);
  object->names = calloc(1, tables.names_size + 1);
  bool is_read = symbols && object->symbols && object->names &&
                 remote_read(remote, tables.symbols, symbols, count * sizeof *symbols) &&
                 remote_read(remote, tables.names, object->names, tables.names_size);
  if (is_read) keep_functions(object, symbols, count, tables.names_size);
  free(symbols);
}

uintptr_t remote_function(const struct remote_object *object, const char *name) {
  for (size_t i = 0; i < object->symbol_count; i++)
    if (strcmp(object->symbols[i].name, name) == 0) return object->symbols[i].start;
  return 0;
}

bool remote_is_in(const struct remote_object *object, uintptr_t address,
                  bool (*condition)(const char *name)) {
  for (size_t i = 0; i < object->symbol_count; i++) {
    const struct remote_symbol *symbol = &object->symbols[i];
    if (address >= symbol->start && address < symbol->end && condition(symbol->name)) return true;
  }
  return false;
}
