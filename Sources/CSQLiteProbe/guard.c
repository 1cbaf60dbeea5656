// SPDX-License-Identifier: Apache-2.0

// Runs the probe's larger work so that a thread of the program does not notice: it is not canceled within it, and
// its stack, or that of a coroutine, may have little room left.

#define _GNU_SOURCE
#include "guard.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lifecycle.h"
#include "macros.h"
#include "process.h"
#include "state.h"

enum {
  // LTTng, a dump of Python's frames and the loader need less.
  ENOUGH = 64 << 10,
  OWN_STACK = 512 << 10,
  // Of stacks that are kept for the next use.
  KEPT_STACKS = 16,
};

typedef void (*guarded_function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

struct guarded_call {
  guarded_function function;
  const uintptr_t *arguments;
};

static void call(const struct guarded_call *call) {
  const uintptr_t *a = call->arguments;
  call->function(a[0], a[1], a[2], a[3], a[4], a[5]);
}

// The end of the first thread's stack, which the loader exports.
extern void *__libc_stack_end __attribute__((weak));

static void set_bounds(uintptr_t start, uintptr_t end) {
  this_thread.roomy_stack = start + ENOUGH;
  this_thread.roomy_size = end > start + ENOUGH ? end - start - ENOUGH : 0;
}

static void find_bounds_of_first_thread(void) {
  struct rlimit limit;
  uintptr_t end = (uintptr_t)&__libc_stack_end ? (uintptr_t)__libc_stack_end : 0;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || end == 0) return;
  uintptr_t size = limit.rlim_cur < 64u << 20 ? limit.rlim_cur : 64u << 20;
  set_bounds(end > size ? end - size : 0, end);
}

static void find_bounds(void) {
  pthread_attr_t attributes;
  void *start;
  size_t size;
  this_thread.has_bounds = true;
  // A filter may forbid the calls that this takes; the probe's own stacks always have room.
  if (is_filtered) return;
  if (thread_id() == getpid()) return find_bounds_of_first_thread();
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &start, &size) == 0) set_bounds((uintptr_t)start, (uintptr_t)start + size);
  pthread_attr_destroy(&attributes);
}

static bool has_room(void) {
  return (uintptr_t)__builtin_frame_address(0) - this_thread.roomy_stack < this_thread.roomy_size;
}

static void *kept[KEPT_STACKS];

static void *acquire_stack(void) {
  for (int i = 0; i < KEPT_STACKS; i++) {
    void *stack = __atomic_exchange_n(&kept[i], NULL, __ATOMIC_ACQ_REL);
    if (stack) return stack;
  }
  char *stack = mmap(NULL, OWN_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return stack == MAP_FAILED ? NULL : stack;
}

static void release_stack(void *stack) {
  for (int i = 0; i < KEPT_STACKS; i++) {
    void *none = NULL;
    if (__atomic_compare_exchange_n(&kept[i], &none, stack, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return;
  }
  munmap(stack, OWN_STACK);
}

// With a frame pointer, by which backtrace() finds the way from the one stack to the other.
__attribute__((noinline)) WITH_FRAME_POINTER
static void call_on(void *top, const struct guarded_call *context) {
#if defined(__x86_64__)
  __asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tcallq *%1\n\tmovq %%rbx, %%rsp"
                   : : "r"(top), "r"(call), "D"(context)
                   : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1",
                     "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
                     "xmm13", "xmm14", "xmm15");
#else
  register const struct guarded_call *first __asm__("x0") = context;
  __asm__ volatile("mov x19, sp\n\tmov sp, %1\n\tblr %2\n\tmov sp, x19"
                   : "+r"(first) : "r"(top), "r"(call)
                   : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
                     "x16", "x17", "x18", "x19", "x30", "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
                     "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29",
                     "v30", "v31");
#endif
}

static void call_on_own_stack(const struct guarded_call *context) {
  char *stack = acquire_stack();
  // Without memory the event is left out.
  if (!stack) return;
  this_thread.is_on_own_stack = true;
  call_on(stack + OWN_STACK, context);
  this_thread.is_on_own_stack = false;
  release_stack(stack);
}

void guarded(void (*function)(void), const uintptr_t arguments[6]) {
  struct guarded_call context = {(guarded_function)function, arguments};
  if (this_thread.is_guarded) return call(&context);
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  this_thread.is_guarded = true;
  if (UNLIKELY(!this_thread.has_bounds)) find_bounds();
  if (LIKELY(has_room())) call(&context);
  else call_on_own_stack(&context);
  this_thread.is_guarded = false;
  pthread_setcancelstate(state, &state);
}
