// SPDX-License-Identifier: Apache-2.0

// The public functions of the Python in this process.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct python_api {
  int (*is_initialized)(void);
  int (*is_finalizing)(void);
  void *(*this_thread_state)(void);
  // The state that has the lock, in this thread or, up to 3.11, in any; NULL without one.
  void *(*current_state)(void);
  int (*has_lock)(void);
  int (*ensure)(void);
  void (*release)(int);
  void *(*frame)(void);
  int (*line)(void *);
  void *(*attribute)(void *, void *);
  void *(*intern)(const char *);
  const char *(*utf8)(void *);
  void (*decrement)(void *);
  void (*increment)(void *);
  void (*error_clear)(void);
  void (*error_fetch)(void **, void **, void **);
  void (*error_restore)(void *, void *, void *);
  // Of the fault handler; needs no lock. Not exported by every Python.
  void (*dump)(int, void *);
  // Since 3.9; faster than the attributes.
  void *(*code)(void *);
  void *(*back)(void *);
  void *none;
  // Since 3.12.
  void *(*variable)(void *, const char *);
  void *(*mapping_item)(void *, const char *);
  void (*clear)(void *);
  void *(*item)(void *, void *);
  void *(*sequence_item)(void *, intptr_t);
  intptr_t (*length)(void *);
  void *(*type)(void *);
  void *(*slot)(void *, int);
  void *(*of_sys)(const char *);
  void *(*call)(void *, void *);
  void *(*keys)(void *);
  long (*number)(void *);
  // Not exported by every Python.
  void *(*compile)(const char *, const char *, int);
  void *(*evaluate)(void *, void *, void *);
  void *(*dictionary)(void);
  void *(*builtins)(void);
  int (*set_item)(void *, const char *, void *);
};

extern struct python_api python;

// The name of an attribute, which Python hashes once.
struct python_name {
  const char *text;
  void *object;
};
#define NAME(text) ({ static struct python_name name = {text, NULL}; &name; })

// Whether the process has a Python with the functions above.
bool find_python(void);
// A new reference, or NULL with an error that is set.
void *get_attribute(void *object, struct python_name *name);
// Copies a text attribute, cut where it is too long; returns false without it.
bool copy_attribute(void *object, struct python_name *name, char *buffer, size_t size);
// A new reference to an attribute, or NULL for None and without it.
void *attribute_of(void *object, struct python_name *name);
// Releases a reference, or nothing for NULL.
void release_object(void *object);

#pragma GCC visibility pop
