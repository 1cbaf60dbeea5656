// SPDX-License-Identifier: Apache-2.0

// A stripped copy of SQLite still has the table of functions that it passes to extensions:
//
//     aggregate_context, aggregate_count, bind_blob, … libversion, libversion_number, …
//
// It is found by its function that returns the version: that function's instructions are read and not executed.

#define _GNU_SOURCE
#include "api-table.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sqlite-api.h"

enum {
  VERSION = 67,
  // The functions of 3.14; functions that a copy was built without are 0.
  LENGTH = 216, MIN_FUNCTIONS = 180,
  NEWEST_SQLITE = 4000000,
};

struct search {
  const void *base;
  ElfW(Addr) code_start, code_end;
  void *const *found;
};

static bool is_code(const struct search *search, const void *pointer) {
  return (ElfW(Addr))pointer >= search->code_start && (ElfW(Addr))pointer < search->code_end - 32;
}

#if defined(__x86_64__)

// `mov $3040001, %eax; ret`, perhaps with `endbr64` and a frame.
static bool returns_version(const unsigned char *code) {
  static const unsigned char branch[] = {0xf3, 0x0f, 0x1e, 0xfa}, frame[] = {0x55, 0x48, 0x89, 0xe5};
  int version;
  if (memcmp(code, branch, sizeof branch) == 0) code += sizeof branch;
  bool has_frame = memcmp(code, frame, sizeof frame) == 0;
  if (has_frame) code += sizeof frame;
  if (*code != 0xb8) return false;
  memcpy(&version, code + 1, sizeof version);
  code += 5;
  if (has_frame && *code == 0x5d) code++;
  return *code == 0xc3 && version >= OLDEST_SQLITE && version < NEWEST_SQLITE;
}

#else

// `mov w0, #0x6341; movk w0, #0x2e, lsl #16; ret`, perhaps after `bti c`.
static bool returns_version(const unsigned char *code) {
  uint32_t words[4];
  memcpy(words, code, sizeof words);
  const uint32_t *at = words[0] == 0xd503245f ? words + 1 : words;
  if ((at[0] & 0xffe0001f) != 0x52800000 || (at[1] & 0xffe0001f) != 0x72a00000 || at[2] != 0xd65f03c0) return false;
  uint32_t version = (at[0] >> 5 & 0xffff) | (at[1] >> 5 & 0xffff) << 16;
  return version >= OLDEST_SQLITE && version < NEWEST_SQLITE;
}

#endif

static bool is_table(const struct search *search, void *const *table) {
  if (!is_code(search, table[VERSION]) || !returns_version(table[VERSION])) return false;
  int functions = 0;
  for (int i = 0; i < LENGTH; i++) {
    if (table[i] && !is_code(search, table[i])) return false;
    functions += table[i] != NULL;
  }
  static const int needed[] = {API_MUTEX_ALLOC, API_MUTEX_LEAVE, API_MUTEX_TRY, API_AUTO_EXTENSION};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (!table[needed[i]]) return false;
  return functions >= MIN_FUNCTIONS;
}

// Bytes behind the file's are zeros: the table is not among them.
static void search_segment(struct search *search, ElfW(Addr) start, size_t size) {
  void *const *at = (void *const *)((start + 7) & ~(ElfW(Addr))7);
  void *const *end = (void *const *)((start + size) & ~(ElfW(Addr))7);
  for (; end - at >= LENGTH && !search->found; at++)
    if (is_table(search, at)) search->found = at;
}

static int search_object(struct dl_phdr_info *info, size_t size, void *context) {
  struct search *search = context;
  ElfW(Addr) start = ~(ElfW(Addr))0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    ElfW(Addr) address = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type != PT_LOAD) continue;
    if (address < start) start = address;
    if (!(segment->p_flags & PF_X)) continue;
    if (search->code_end == 0) search->code_start = address;
    search->code_end = address + segment->p_filesz;
  }
  // The base that dladdr() returns is where the file's first page is mapped.
  if ((start & ~(ElfW(Addr))4095) != ((ElfW(Addr))search->base & ~(ElfW(Addr))4095)) {
    search->code_end = 0;
    return 0;
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD && (segment->p_flags & (PF_R | PF_X)) == PF_R)
      search_segment(search, info->dlpi_addr + segment->p_vaddr, segment->p_filesz);
  }
  return 1;
}

void *const *find_api_table(const void *base) {
  struct search search = {.base = base};
  dl_iterate_phdr(search_object, &search);
  return search.found;
}
