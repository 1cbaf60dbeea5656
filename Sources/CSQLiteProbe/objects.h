// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
enum { SLOT_RELOCATION = R_X86_64_JUMP_SLOT, DATA_RELOCATION = R_X86_64_GLOB_DAT, WORD_RELOCATION = R_X86_64_64 };
#elif defined(__aarch64__)
enum { SLOT_RELOCATION = R_AARCH64_JUMP_SLOT, DATA_RELOCATION = R_AARCH64_GLOB_DAT, WORD_RELOCATION = R_AARCH64_ABS64 };
#else
#error "the probe supports only the relocations of x86-64 and arm64"
#endif

struct object {
  ElfW(Addr) base;
  const ElfW(Phdr) *segments;
  int segment_count;
  char *name;
  // Addresses that the object covers, and addresses that the loader protects after relocation.
  ElfW(Addr) start, end, protected_start, protected_end;
  const ElfW(Sym) *symbols;
  const char *strings;
  size_t undefined_count;
  const ElfW(Rela) *tables[2];
  size_t counts[2];
  void *handle;
  bool is_copy;
};

// Reads its tables; returns false if it has none.
bool read_object(struct object *object);
void write_slot(const struct object *object, void **slot, void *value);
// The path of an object file as dladdr() names it; the program's own for "".
const char *object_path(const char *name);
// Where the executable is mapped.
const void *base_of_program(void);
// Where the probe is mapped: its header, which the linker defines. Its file may have any name.
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
// The addresses of the object that covers one. Faster than dladdr(), which reads all symbols.
void object_extent(const void *address, const void **start, const void **end);
// Replaces the value of an object's slots for a function; returns false if it has none.
bool replace_slot(const void *base, const char *name, void *value);
// Has the destructors of the objects of a name do nothing when the process ends; and runs LTTng's own earlier.
void replace_destructors(const char *name);
void run_replaced_destructors(void);
