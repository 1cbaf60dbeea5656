// SPDX-License-Identifier: Apache-2.0

// The memory of another process, and the objects that are mapped into it.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum object_kind { OBJECT_OTHER, OBJECT_LIBC, OBJECT_LOADER, OBJECT_PROBE };

struct remote_symbol {
  uintptr_t start, end;
  const char *name;
};

struct remote_object {
  enum object_kind kind;
  // The mapped file: where it starts and ends, and the difference to the addresses in its headers.
  uintptr_t start, end, bias;
  uint64_t device, inode;
  // The table of .eh_frame_hdr; 0 without one.
  uintptr_t frames;
  char path[256];
  // Functions that it exports.
  struct remote_symbol *symbols;
  size_t symbol_count;
  char *names;
};

struct remote {
  pid_t process;
  int memory;
  struct remote_object *objects;
  size_t object_count;
};

bool remote_open(struct remote *remote, pid_t process);
void remote_close(struct remote *remote);
bool remote_read(const struct remote *remote, uintptr_t address, void *bytes, size_t count);
bool remote_write(const struct remote *remote, uintptr_t address, const void *bytes, size_t count);

// Whether the program may write to all of it. The first thread's stack grows.
bool remote_is_writable(const struct remote *remote, uintptr_t start, uintptr_t end);
// Where bytes are in an object; 0 if they are not.
uintptr_t remote_find(const struct remote *remote, const struct remote_object *object, const void *bytes, size_t count);

struct remote_object *remote_object_at(const struct remote *remote, uintptr_t address);
// The address of an exported function; 0 without it.
uintptr_t remote_function(const struct remote_object *object, const char *name);
// Whether an exported function that contains the address satisfies a condition.
bool remote_is_in(const struct remote_object *object, uintptr_t address,
                  bool (*condition)(const char *name));
