// SPDX-License-Identifier: Apache-2.0

// The frames of Go behind a call of C. Go runs C on another stack, and unwinding ends at its start; the register of
// the frame pointer, which C restores, still points to the frames of the goroutine.
//
// On x86-64 alone, where the call is recognized by its code.

#define _GNU_SOURCE
#include "caller-go.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "macros.h"

struct unwind_context;
static int (*unwind)(int (*)(struct unwind_context *, void *), void *);
static uintptr_t (*address_of)(struct unwind_context *);
static uintptr_t (*register_of)(struct unwind_context *, int);
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The number of rbp.
enum { FRAME_POINTER = 6 };

// Whether an address is behind the call in `runtime.asmcgocall`: MOVQ BX, DI; MOVQ BX, CX; CALL AX.
static bool is_call_of_c(const void *address) {
#if defined(__x86_64__)
  static const unsigned char code[] = {0x48, 0x89, 0xdf, 0x48, 0x89, 0xd9, 0xff, 0xd0};
  return memcmp((const char *)address - sizeof code, code, sizeof code) == 0;
#else
  return address == NULL;
#endif
}

// A program of Go with cgo exports the function by which C calls Go.
static void find_functions(void) {
  void *library = dlsym(RTLD_DEFAULT, "crosscall2") ? dlopen("libgcc_s.so.1", RTLD_LAZY) : NULL;
  if (library) {
    *(void **)&address_of = dlsym(library, "_Unwind_GetIP");
    *(void **)&register_of = dlsym(library, "_Unwind_GetGR");
    *(void **)&unwind = dlsym(library, "_Unwind_Backtrace");
  }
  dlerror();
}

struct walk {
  void **addresses;
  int count, limit;
  uintptr_t frame;
};

static int add_frame(struct unwind_context *context, void *argument) {
  struct walk *walk = argument;
  enum { GO_ON = 0, STOP = 4 };
  if (walk->count == walk->limit) return STOP;
  walk->addresses[walk->count++] = (void *)address_of(context);
  walk->frame = register_of(context, FRAME_POINTER);
  return GO_ON;
}

int go_frames(void **addresses, int limit) {
  pthread_once(&once, find_functions);
  if (LIKELY(!unwind || !address_of || !register_of)) return 0;
  struct walk walk = {addresses, 0, limit, 0};
  unwind(add_frame, &walk);
  // Each frame begins with the pointer to its caller's, which is at a greater address, and 0 at the last.
  bool is_of_go = walk.count > 0 && is_call_of_c(addresses[walk.count - 1]);
  const uintptr_t *frame = is_of_go ? (const uintptr_t *)walk.frame : NULL;
  while (frame && (uintptr_t)frame % sizeof *frame == 0 && walk.count < limit) {
    addresses[walk.count++] = (void *)frame[1];
    const uintptr_t *caller = (const uintptr_t *)frame[0];
    frame = caller > frame ? caller : NULL;
  }
  return walk.count;
}
