// SPDX-License-Identifier: Apache-2.0

#if defined(__x86_64__)

#define _GNU_SOURCE
#include "borrowed.h"

#include <cpuid.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

// The frame of a signal handler, as the kernel writes it; behind it are the registers for floating point.
struct signal_frame {
  uint64_t restorer, flags, link;
  stack_t stack;
  mcontext_t context;
  uint64_t mask;
};
_Static_assert(offsetof(struct signal_frame, mask) == 304, "the kernel's layout");

enum {
  // UC_FP_XSTATE, UC_SIGCONTEXT_SS and UC_STRICT_RESTORE_SS.
  FRAME_FLAGS = 7,
  // Not valid, so that the alternate stack stays as it is.
  NO_STACK_FLAGS = 7,
  LEGACY_SIZE = 576, SOFTWARE_BYTES = 464, STATES_IN_USE = 512,
  FIRST_MAGIC = 0x46505853, LAST_MAGIC = 0x46505845,
};
// AMX: not in the frames of processes that did not request it.
static const uint64_t TILES = 0x60000;

static uint64_t word_at(const unsigned char *bytes, size_t offset) {
  uint64_t word;
  memcpy(&word, bytes + offset, sizeof word);
  return word;
}

// The size of the states in the kernel's own layout.
static size_t size_of_states(uint64_t states) {
  unsigned size, offset, c, d;
  size_t end = LEGACY_SIZE;
  for (unsigned i = 2; i < 63; i++) {
    if (!(states >> i & 1)) continue;
    __cpuid_count(0xd, i, size, offset, c, d);
    if (offset + size > end) end = offset + size;
  }
  return end;
}

// Where a system call was interrupted, it is repeated: the kernel does so by itself at the return to the program alone.
static struct user_regs_struct repeated(const struct stopped_thread *thread) {
  enum { RESTART_FIRST = -516, RESTART_LAST = -512 };
  struct user_regs_struct registers = thread->registers;
  long result = (long)registers.rax;
  bool is_interrupted = thread->is_in_call && result >= RESTART_FIRST && result <= RESTART_LAST && result != -515;
  if (!is_interrupted || (long)registers.orig_rax < 0) return registers;
  registers.rip -= 2;
  registers.rax = registers.orig_rax;
  return registers;
}

size_t make_frame(const struct borrowed *borrowed, uintptr_t address, unsigned char bytes[MAX_FRAME]) {
  struct user_regs_struct r = repeated(&borrowed->thread);
  uintptr_t states_at = (address + sizeof(struct signal_frame) + 63) & ~(uintptr_t)63;
  uint64_t states = word_at(borrowed->vectors, SOFTWARE_BYTES);
  if (!(word_at(borrowed->vectors, STATES_IN_USE) & TILES)) states &= ~TILES;
  uint32_t size = (uint32_t)size_of_states(states), all = size + 4, first = FIRST_MAGIC, last = LAST_MAGIC;
  struct signal_frame frame = {
      .restorer = borrowed->functions->restorer, .flags = FRAME_FLAGS, .stack.ss_flags = NO_STACK_FLAGS, .mask = borrowed->mask,
      .context = {
          .gregs = {r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rdi, r.rsi, r.rbp, r.rbx, r.rdx, r.rax, r.rcx,
                    r.rsp, r.rip, r.eflags, r.cs | r.gs << 16 | r.fs << 32 | r.ss << 48},
          .fpregs = (void *)states_at}};
  memcpy(bytes, &frame, sizeof frame);
  unsigned char *to = bytes + (states_at - address);
  memcpy(to, borrowed->vectors, size);
  memset(to + SOFTWARE_BYTES, 0, 48);
  memcpy(to + SOFTWARE_BYTES, &first, 4);
  memcpy(to + SOFTWARE_BYTES + 4, &all, 4);
  memcpy(to + SOFTWARE_BYTES + 8, &states, 8);
  memcpy(to + SOFTWARE_BYTES + 16, &size, 4);
  memcpy(to + size, &last, 4);
  return (size_t)(to - bytes) + all;
}

#endif
