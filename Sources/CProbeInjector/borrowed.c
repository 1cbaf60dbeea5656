// SPDX-License-Identifier: Apache-2.0

#if defined(__x86_64__)

#define _GNU_SOURCE
#include "borrowed.h"

#include <elf.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { REGION_SIZE = 1 << 20, CODE_SIZE = 4096, DATA_SIZE = 65536, CALL_LIMIT = 1000000, RED_ZONE = 128, LEGACY_VECTORS = 576 };
static const unsigned long long NO_CALL = (unsigned long long)-1;
static const uint64_t DIRECTION_AND_TRAP = 0x500;

static bool set_registers(struct borrowed *borrowed, struct user_regs_struct *registers) {
  return ptrace(PTRACE_SETREGS, borrowed->thread.thread, NULL, registers) == 0;
}

static bool get_registers(struct borrowed *borrowed, struct user_regs_struct *registers) {
  return ptrace(PTRACE_GETREGS, borrowed->thread.thread, NULL, registers) == 0;
}

// MARK: - The frame on the stack

// Below the stack of the program, whose bytes there are kept: a stack may be one of a coroutine, with others behind it.
static bool put_frame_on_stack(struct borrowed *borrowed) {
  static unsigned char bytes[MAX_FRAME];
  size_t size = make_frame(borrowed, 0, bytes) + 64;
  borrowed->frame = (borrowed->thread.registers.rsp - RED_ZONE - size) & ~(uintptr_t)63;
  borrowed->frame_size = make_frame(borrowed, borrowed->frame, bytes);
  if (!remote_is_writable(borrowed->remote, borrowed->frame, borrowed->thread.registers.rsp)) return false;
  return remote_read(borrowed->remote, borrowed->frame, borrowed->covered, borrowed->frame_size) &&
         remote_write(borrowed->remote, borrowed->frame, bytes, borrowed->frame_size);
}

static void uncover_stack(const struct borrowed *borrowed) {
  remote_write(borrowed->remote, borrowed->frame, borrowed->covered, borrowed->frame_size);
}

// MARK: - System calls

// Runs to the next entry into a system call or return from one.
static enum call_result run_to_system_call(struct borrowed *borrowed) {
  pid_t thread = borrowed->thread.thread;
  for (;;) {
    if (ptrace(PTRACE_SYSCALL, thread, NULL, NULL) != 0) return CALL_ENDED;
    int status = wait_for_stop(thread, now_us() + CALL_LIMIT);
    if (status == -2) return CALL_ENDED;
    if (status == -1) return CALL_HUNG;
    if (is_at_system_call(status)) return CALL_RETURNED;
    if (status >> 16 != 0) continue;
    // All signals that have other senders are blocked. A request to stop is for afterwards.
    if (WSTOPSIG(status) != SIGSTOP) return CALL_FAULT;
    borrowed->thread.signal = SIGSTOP;
  }
}

// With up to six arguments. The gadget returns to the restorer, with the frame on the stack.
static enum call_result system_call(struct borrowed *borrowed, long number, const uintptr_t a[6], uintptr_t *value) {
  struct user_regs_struct registers = borrowed->thread.registers;
  registers.rip = borrowed->functions->gadget;
  registers.rsp = borrowed->frame;
  registers.rax = (unsigned long long)number;
  registers.orig_rax = NO_CALL;
  registers.eflags &= ~DIRECTION_AND_TRAP;
  registers.rdi = a[0], registers.rsi = a[1], registers.rdx = a[2];
  registers.r10 = a[3], registers.r8 = a[4], registers.r9 = a[5];
  if (!set_registers(borrowed, &registers)) return CALL_ENDED;
  // Not those of faults, which the kernel would deliver in any case.
  uint64_t mask = ~(uint64_t)0;
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) mask &= ~((uint64_t)1 << (faults[i] - 1));
  if (ptrace(PTRACE_SETSIGMASK, borrowed->thread.thread, (void *)8, &mask) != 0) return CALL_ENDED;
  for (int stop = 0; stop < 2; stop++) {
    enum call_result result = run_to_system_call(borrowed);
    if (result != CALL_RETURNED) return result;
  }
  if (!get_registers(borrowed, &registers)) return CALL_ENDED;
  *value = registers.rax;
  return CALL_RETURNED;
}

static void set_registers_of_program(struct borrowed *borrowed) {
  pid_t thread = borrowed->thread.thread;
  ptrace(PTRACE_SETREGSET, thread, (void *)NT_X86_XSTATE, &borrowed->vector);
  ptrace(PTRACE_SETSIGMASK, thread, (void *)8, &borrowed->mask);
  set_registers(borrowed, &borrowed->thread.registers);
}

// The thread goes on as if nothing had been.
static void set_back(struct borrowed *borrowed) {
  pid_t thread = borrowed->thread.thread;
  // The kernel repeats an interrupted system call at a stop for a signal, and not at the end of another call.
  if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0 && ptrace(PTRACE_CONT, thread, NULL, NULL) == 0)
    wait_for_stop(thread, now_us() + CALL_LIMIT);
  set_registers_of_program(borrowed);
  uncover_stack(borrowed);
  resume_thread(&borrowed->thread);
}

static bool save(struct borrowed *borrowed) {
  pid_t id = borrowed->thread.thread;
  borrowed->vector = (struct iovec){borrowed->vectors, sizeof borrowed->vectors};
  return ptrace(PTRACE_GETREGSET, id, (void *)NT_X86_XSTATE, &borrowed->vector) == 0 &&
         borrowed->vector.iov_len > LEGACY_VECTORS && ptrace(PTRACE_GETSIGMASK, id, (void *)8, &borrowed->mask) == 0 &&
         put_frame_on_stack(borrowed);
}

bool borrow(struct borrowed *borrowed, const struct stopped_thread *thread, const struct remote *remote,
            const struct functions *functions) {
  *borrowed = (struct borrowed){.thread = *thread, .remote = remote, .functions = functions};
  const uintptr_t mapping[6] = {0, REGION_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uintptr_t)-1, 0};
  uintptr_t region;
  if (!save(borrowed)) {
    resume_thread(thread);
    return false;
  }
  if (system_call(borrowed, SYS_mmap, mapping, &region) == CALL_RETURNED && region < (uintptr_t)-4095) {
    borrowed->region = region;
    return true;
  }
  set_back(borrowed);
  return false;
}

// MARK: - The call

enum { STATE_RUNS, STATE_RETURNED, STATE_NOT_LOADED };

// What the code below reads and writes, at these offsets.
struct request {
  uint64_t error_location, open, find;
  uint64_t path, name, text;
  uint64_t frame, value, state;
  struct timespec pause;
  uint64_t error;
};

// Keeps errno, loads the library, calls the function. It then waits up to 0.1 s until it is set back, and otherwise
// returns as from a signal handler. The wait is one that leaves the thread's own interrupted wait alone.
extern const unsigned char CProbeInjector_code[], CProbeInjector_code_end[];
__asm__(
    ".pushsection .rodata\n"
    "CProbeInjector_code:\n"
    "call *0(%rbx)\n mov %rax, %r12\n mov (%rax), %eax\n mov %rax, 88(%rbx)\n"
    "mov 24(%rbx), %rdi\n mov $2, %esi\n call *8(%rbx)\n test %rax, %rax\n jz 1f\n"
    "mov %rax, %rdi\n mov 32(%rbx), %rsi\n call *16(%rbx)\n test %rax, %rax\n jz 1f\n"
    "mov 40(%rbx), %rdi\n call *%rax\n mov %rax, 56(%rbx)\n mov $1, %r13d\n jmp 2f\n"
    "1: mov $2, %r13d\n"
    "2: mov 88(%rbx), %rax\n mov %eax, (%r12)\n mov %r13, 64(%rbx)\n mov $100, %r14d\n"
    "3: movq $0, 72(%rbx)\n movq $1000000, 80(%rbx)\n"
    "mov $270, %eax\n xor %edi, %edi\n xor %esi, %esi\n xor %edx, %edx\n xor %r10d, %r10d\n lea 72(%rbx), %r8\n"
    "xor %r9d, %r9d\n syscall\n dec %r14d\n jnz 3b\n"
    "mov 48(%rbx), %rsp\n add $8, %rsp\n mov $15, %eax\n syscall\n"
    "CProbeInjector_code_end:\n"
    ".popsection\n");
_Static_assert(offsetof(struct request, error) == 88 && offsetof(struct request, state) == 64, "as the code has them");

// Writes code, data and the frame; the stack is above them.
static bool fill_region(struct borrowed *borrowed, const char *library, const char *function, const char *text) {
  static unsigned char data[DATA_SIZE];
  const struct functions *functions = borrowed->functions;
  uintptr_t base = borrowed->region + CODE_SIZE, frame = base + 256;
  size_t at = 256 + make_frame(borrowed, frame, data + 256);
  const char *texts[] = {library, function, text};
  uintptr_t addresses[3] = {0};
  for (int i = 0; i < 3; i++) {
    size_t size = texts[i] ? strlen(texts[i]) + 1 : 0;
    if (size > DATA_SIZE - at) return false;
    if (texts[i]) memcpy(data + at, texts[i], size), addresses[i] = base + at;
    at += size;
  }
  struct request request = {functions->error_location, functions->open, functions->find,
                            addresses[0], addresses[1], addresses[2], frame, .state = STATE_RUNS};
  memcpy(data, &request, sizeof request);
  size_t code = (size_t)(CProbeInjector_code_end - CProbeInjector_code);
  return remote_write(borrowed->remote, base, data, at) &&
         remote_write(borrowed->remote, borrowed->region, CProbeInjector_code, code);
}

static bool read_request(const struct borrowed *borrowed, struct request *request) {
  return remote_read(borrowed->remote, borrowed->region + CODE_SIZE, request, sizeof *request);
}

// Stops the thread where it is.
static enum call_result interrupt(struct borrowed *borrowed) {
  pid_t thread = borrowed->thread.thread;
  if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0) return CALL_ENDED;
  int status = wait_for_stop(thread, now_us() + CALL_LIMIT);
  return status == -2 ? CALL_ENDED : status == -1 ? CALL_HUNG : CALL_RETURNED;
}

static enum call_result wait_for_call(struct borrowed *borrowed, int64_t deadline, struct request *request) {
  pid_t thread = borrowed->thread.thread;
  for (;;) {
    int status;
    pid_t found = waitpid(thread, &status, __WALL | WNOHANG);
    if (found < 0 || (found == thread && !WIFSTOPPED(status))) return CALL_ENDED;
    if (found == thread) {
      if (status >> 16 == 0 && WSTOPSIG(status) == SIGSTOP) borrowed->thread.signal = SIGSTOP;
      else if (status >> 16 == 0) return CALL_FAULT;
      if (ptrace(PTRACE_CONT, thread, NULL, NULL) != 0) return CALL_ENDED;
    }
    if (!read_request(borrowed, request)) return CALL_ENDED;
    if (request->state != STATE_RUNS || now_us() > deadline) break;
    nanosleep(&(struct timespec){0, 500000}, NULL);
  }
  enum call_result result = interrupt(borrowed);
  if (result != CALL_RETURNED) return result;
  return request->state == STATE_RUNS ? CALL_HUNG : CALL_RETURNED;
}

enum call_result call_library(struct borrowed *borrowed, const char *library, const char *function, const char *text,
                              int64_t deadline, int *value) {
  struct user_regs_struct registers = borrowed->thread.registers;
  struct request request;
  if (!fill_region(borrowed, library, function, text)) return CALL_FAULT;
  registers.rip = borrowed->region;
  registers.rsp = borrowed->region + REGION_SIZE - 64;
  registers.rbx = borrowed->region + CODE_SIZE;
  registers.orig_rax = NO_CALL;
  registers.eflags &= ~DIRECTION_AND_TRAP;
  if (!set_registers(borrowed, &registers)) return CALL_ENDED;
  uncover_stack(borrowed);
  if (ptrace(PTRACE_CONT, borrowed->thread.thread, NULL, NULL) != 0) return CALL_ENDED;
  enum call_result result = wait_for_call(borrowed, deadline, &request);
  *value = (int)request.value;
  return result == CALL_RETURNED && request.state == STATE_NOT_LOADED ? CALL_FAULT : result;
}

// Whether the thread waits for a lock, and has none of the loader's: the thread's id is in no lock of it.
static bool only_waits(const struct borrowed *borrowed, const struct user_regs_struct *registers) {
  if ((long)registers->orig_rax != SYS_futex) return false;
  for (size_t i = 0; i < borrowed->remote->object_count; i++) {
    const struct remote_object *object = &borrowed->remote->objects[i];
    int words[1024];
    if (object->kind != OBJECT_LOADER) continue;
    for (uintptr_t page = object->start; page < object->end; page += sizeof words)
      for (int word = 0; remote_read(borrowed->remote, page, words, sizeof words) && word < 1024; word++)
        if (words[word] == borrowed->thread.thread) return false;
  }
  return true;
}

// The call waited no longer for us, and the thread is in the program again.
static bool went_on(const struct borrowed *borrowed, const struct user_regs_struct *registers) {
  struct request request;
  bool is_over = read_request(borrowed, &request) && request.state != STATE_RUNS;
  return is_over && (registers->rip < borrowed->region || registers->rip >= borrowed->region + CODE_SIZE);
}

void give_back(struct borrowed *borrowed, enum call_result result) {
  struct stopped_thread *thread = &borrowed->thread;
  const uintptr_t mapping[6] = {borrowed->region, REGION_SIZE};
  struct user_regs_struct registers;
  uintptr_t value;
  if (!get_registers(borrowed, &registers)) return resume_thread(thread);
  if (went_on(borrowed, &registers)) {
    thread->registers = registers;
    call_again(borrowed->remote->process, thread);
    if (!save(borrowed)) return resume_thread(thread);
  } else if (result == CALL_HUNG) {
    if (only_waits(borrowed, &registers)) set_registers_of_program(borrowed);
    return resume_thread(thread);
  } else if (!put_frame_on_stack(borrowed)) {
    // It returns by itself.
    return resume_thread(thread);
  }
  system_call(borrowed, SYS_munmap, mapping, &value);
  set_back(borrowed);
}

#endif
