// SPDX-License-Identifier: Apache-2.0

#include "symbol-table.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct search {
  const char *file;
  size_t size;
  const char *base;
  bool (*is_found)(void *, const char *, const void *, size_t);
  void *context;
};

static bool is_found_in(const struct search *search, const ElfW(Shdr) *table, const ElfW(Shdr) *strings, const char *bias) {
  const ElfW(Sym) *symbols = (const void *)(search->file + table->sh_offset);
  if (table->sh_offset + table->sh_size > search->size || strings->sh_offset + strings->sh_size > search->size) return false;
  for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
    const ElfW(Sym) *symbol = &symbols[i];
    if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_name >= strings->sh_size)
      continue;
    const char *name = search->file + strings->sh_offset + symbol->st_name;
    if (search->is_found(search->context, name, bias + symbol->st_value, symbol->st_size)) return true;
  }
  return false;
}

static void look_at_tables(const struct search *search) {
  const ElfW(Ehdr) *header = (const void *)search->file;
  if (search->size < sizeof *header || memcmp(search->file, search->base, sizeof *header) != 0) return;
  if (header->e_shentsize != sizeof(ElfW(Shdr)) ||
      header->e_shoff + (size_t)header->e_shnum * sizeof(ElfW(Shdr)) > search->size)
    return;
  const ElfW(Shdr) *sections = (const void *)(search->file + header->e_shoff);
  const char *bias = header->e_type == ET_DYN ? search->base : NULL;
  for (int i = 0; i < header->e_shnum; i++)
    if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header->e_shnum &&
        is_found_in(search, &sections[i], &sections[sections[i].sh_link], bias))
      return;
}

void find_symbol(const char *path, const void *base, bool (*is_found)(void *, const char *, const void *, size_t),
                 void *context) {
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
    size_t size = (size_t)status.st_size;
    char *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (file != MAP_FAILED) {
      look_at_tables(&(struct search){file, size, base, is_found, context});
      munmap(file, size);
    }
  }
  close(descriptor);
}
