/* SPDX-License-Identifier: Apache-2.0 */
#include "CMeasuring.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <stdatomic.h>
#include <stddef.h>

/* The names under which the GNU C library's allocator can be reached past its public ones. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t allocations;

static void note(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

uint64_t CMeasuring_allocations(void) {
  return atomic_load_explicit(&allocations, memory_order_relaxed);
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note();
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  note();
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  note();
  void *result = __libc_memalign(alignment, size);
  if (result == NULL) return ENOMEM;
  *memory = result;
  return 0;
}

__attribute__((noinline)) void CMeasuring_run(void (*body)(void *context), void *context) {
  body(context);
  /* Or the call would be the last thing done, and become a jump that leaves this function. */
  __asm__ volatile("" ::: "memory");
}

const char *CMeasuring_libc_version(void) { return gnu_get_libc_version(); }
