// SPDX-License-Identifier: Apache-2.0

// Objects that the loader maps, and the functions of libc that the probe replaces.

#ifndef storescope_loading_h
#define storescope_loading_h

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

// The path of an object file as dladdr() names it; the program's own for "".
const char *object_path(const char *name);

// The hook for a function of libc, or NULL. Waiting functions are hooked in copies of SQLite alone.
void *loading_hook(const char *name, bool is_copy);

// The hook for a function by which a copy of SQLite waits, or NULL.
void *ending_hook(void);
void *waiting_hook(const char *name);

// Hooks for what a copy within a program calls first when it initializes itself.
char *hook_getenv(const char *name);
int hook_mutexattr_settype(pthread_mutexattr_t *attributes, int type);

// The hook for a function that closes descriptors, or NULL.
void *descriptor_hook(const char *name);

// The hooks for the functions by which a program forbids itself system calls.
void *filter_hook(const char *name);

// The hooks for the functions that change the environment, in which a test may be named.
void *environment_hook(const char *name);

// Has the destructors of the objects of a name do nothing when the process ends; and runs LTTng's own earlier.
void replace_destructors(const char *name);
void run_replaced_destructors(void);
// Waits until the threads of LTTng have ended, for at most a second.
void wait_for_lttng_threads(void);

// The hook for one of SQLite's functions at an address, or NULL if it is not to be hooked.
void *sqlite_hook(const char *name, void *function);

// The same for a slot through which a copy calls one of its own functions. Connections that it
// opens in this way are observed by callbacks.
void *own_call_hook(const char *name, void *function);

// The addresses of the object that covers one. Faster than dladdr(), which reads all symbols.
void object_extent(const void *address, const void **start, const void **end);

// Replaces the value of an object's slots for a function; returns false if it has none.
bool replace_slot(const void *base, const char *name, void *value);

// The function that sqlite3_auto_extension() of a static copy calls for each connection.
void *static_entry(void);

// The address of a function in the symbol table of an object's file, or NULL.
void *find_in_symbol_table(const char *path, const void *base, const char *name);

#pragma GCC visibility pop

#endif
