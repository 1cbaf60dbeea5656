// SPDX-License-Identifier: Apache-2.0

#if defined(__x86_64__)

#define _GNU_SOURCE
#include "borrowed.h"

#include <elf.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { STACK_SIZE = 1 << 20, TEXT_SIZE = 16384, CALL_LIMIT = 1000000 };
static const unsigned long long NO_CALL = (unsigned long long)-1;
static const uint64_t DIRECTION_AND_TRAP = 0x500;

static bool set_registers(struct borrowed *borrowed, struct user_regs_struct *registers) {
  return ptrace(PTRACE_SETREGS, borrowed->thread.thread, NULL, registers) == 0;
}

static bool get_registers(struct borrowed *borrowed, struct user_regs_struct *registers) {
  return ptrace(PTRACE_GETREGS, borrowed->thread.thread, NULL, registers) == 0;
}

// Runs to the next entry into a system call, or return from one.
static enum call_result run_to_system_call(struct borrowed *borrowed, int64_t deadline) {
  pid_t thread = borrowed->thread.thread;
  for (;;) {
    if (ptrace(PTRACE_SYSCALL, thread, NULL, NULL) != 0) return CALL_ENDED;
    int status = wait_for_stop(thread, deadline);
    if (status == -2) return CALL_ENDED;
    if (status == -1) {
      // Stops it where it waits.
      ptrace(PTRACE_INTERRUPT, thread, NULL, NULL);
      return wait_for_stop(thread, now_us() + CALL_LIMIT) >= 0 ? CALL_HUNG : CALL_ENDED;
    }
    if (is_at_system_call(status)) return CALL_RETURNED;
    // A fault; all signals that have other senders are blocked. A request to stop is for afterwards.
    if (status >> 16 == 0) {
      if (WSTOPSIG(status) != SIGSTOP) return CALL_FAILED;
      borrowed->thread.signal = SIGSTOP;
    }
  }
}

// With up to six arguments, on the way between two system calls of the program, or within one that goes on later.
static enum call_result system_call(struct borrowed *borrowed, long number, const uintptr_t a[6], uintptr_t *value) {
  struct user_regs_struct registers = borrowed->thread.registers;
  registers.rip = borrowed->gadget;
  registers.rax = (unsigned long long)number;
  registers.orig_rax = NO_CALL;
  registers.eflags &= ~DIRECTION_AND_TRAP;
  registers.rdi = a[0], registers.rsi = a[1], registers.rdx = a[2];
  registers.r10 = a[3], registers.r8 = a[4], registers.r9 = a[5];
  if (!set_registers(borrowed, &registers)) return CALL_ENDED;
  for (int stop = 0; stop < 2; stop++) {
    enum call_result result = run_to_system_call(borrowed, now_us() + CALL_LIMIT);
    if (result != CALL_RETURNED) return result;
  }
  if (!get_registers(borrowed, &registers)) return CALL_ENDED;
  *value = registers.rax;
  return CALL_RETURNED;
}

enum call_result call_function(struct borrowed *borrowed, uintptr_t function, uintptr_t first, uintptr_t second,
                               int64_t deadline, uintptr_t *value) {
  struct user_regs_struct registers = borrowed->thread.registers;
  uintptr_t top = borrowed->stack + STACK_SIZE - TEXT_SIZE;
  if (!remote_write(borrowed->remote, top - 8, &borrowed->gadget, 8)) return CALL_FAILED;
  registers.rsp = top - 8;
  registers.rip = function;
  registers.rax = 0;
  registers.orig_rax = NO_CALL;
  registers.eflags &= ~DIRECTION_AND_TRAP;
  registers.rdi = first;
  registers.rsi = second;
  if (!set_registers(borrowed, &registers)) return CALL_ENDED;
  for (;;) {
    enum call_result result = run_to_system_call(borrowed, deadline);
    if (result != CALL_RETURNED) return result;
    if (!get_registers(borrowed, &registers)) return CALL_ENDED;
    if (registers.rip == borrowed->gadget + 2 && registers.rsp == top) break;
  }
  // It returned its value as the number of a system call, which is left out.
  *value = registers.orig_rax;
  registers.orig_rax = NO_CALL;
  if (!set_registers(borrowed, &registers)) return CALL_ENDED;
  return run_to_system_call(borrowed, now_us() + CALL_LIMIT);
}

uintptr_t put_text(struct borrowed *borrowed, const char *text) {
  size_t size = strlen(text) + 1;
  uintptr_t address = borrowed->stack + STACK_SIZE - TEXT_SIZE + borrowed->used;
  if (size > TEXT_SIZE - borrowed->used || !remote_write(borrowed->remote, address, text, size)) return 0;
  borrowed->used += size;
  return address;
}

bool borrow(struct borrowed *borrowed, const struct stopped_thread *thread, const struct remote *remote,
            uintptr_t gadget, uintptr_t error_location) {
  pid_t id = thread->thread;
  *borrowed = (struct borrowed){.thread = *thread, .remote = remote, .gadget = gadget};
  borrowed->vector = (struct iovec){borrowed->vectors, sizeof borrowed->vectors};
  if (ptrace(PTRACE_GETREGSET, id, (void *)NT_X86_XSTATE, &borrowed->vector) != 0) return false;
  if (ptrace(PTRACE_GETSIGMASK, id, (void *)8, &borrowed->mask) != 0) return false;
  // Not those of faults, which the kernel would deliver in any case.
  uint64_t mask = ~(uint64_t)0;
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) mask &= ~((uint64_t)1 << (faults[i] - 1));
  if (ptrace(PTRACE_SETSIGMASK, id, (void *)8, &mask) != 0) return false;
  const uintptr_t mapping[6] = {0, STACK_SIZE, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uintptr_t)-1, 0};
  uintptr_t stack;
  if (system_call(borrowed, SYS_mmap, mapping, &stack) != CALL_RETURNED || stack >= (uintptr_t)-4095) return false;
  borrowed->stack = stack;
  uintptr_t address;
  if (call_function(borrowed, error_location, 0, 0, now_us() + CALL_LIMIT, &address) != CALL_RETURNED) return false;
  borrowed->error_address = address;
  return remote_read(remote, address, &borrowed->error, sizeof borrowed->error);
}

void give_back(struct borrowed *borrowed, bool may_unmap) {
  pid_t thread = borrowed->thread.thread;
  uintptr_t value;
  if (borrowed->error_address)
    remote_write(borrowed->remote, borrowed->error_address, &borrowed->error, sizeof borrowed->error);
  if (borrowed->stack && may_unmap) {
    const uintptr_t mapping[6] = {borrowed->stack, STACK_SIZE};
    system_call(borrowed, SYS_munmap, mapping, &value);
  }
  // The kernel repeats an interrupted system call at a stop for a signal, and not at the end of another call.
  if (may_unmap && ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0 && ptrace(PTRACE_CONT, thread, NULL, NULL) == 0)
    wait_for_stop(thread, now_us() + CALL_LIMIT);
  ptrace(PTRACE_SETREGSET, thread, (void *)NT_X86_XSTATE, &borrowed->vector);
  ptrace(PTRACE_SETSIGMASK, thread, (void *)8, &borrowed->mask);
  set_registers(borrowed, &borrowed->thread.registers);
  resume_thread(&borrowed->thread);
}

#endif
