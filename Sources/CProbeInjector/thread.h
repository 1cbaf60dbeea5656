// SPDX-License-Identifier: Apache-2.0

// Threads of another process, stopped by ptrace(2).

#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct stopped_thread {
  pid_t thread;
  struct user_regs_struct registers;
  // Whether it waits in a system call, which it goes on with.
  bool is_in_call;
  // A signal that it gets when it goes on.
  int signal;
};

enum thread_stop { THREAD_STOPPED, THREAD_GONE, THREAD_RUNS, THREAD_NOT_PERMITTED };

int64_t now_us(void);
// Whether a thread has children that run.
bool has_children(pid_t process, pid_t thread);
// Has a timer of this process end each wait from time to time.
void interrupt_waits(void);
// Waits until a traced thread stops; returns its status, -1 at the deadline, -2 if it ended.
int wait_for_stop(pid_t thread, int64_t deadline);
bool is_at_system_call(int status);
// Sets its registers so that it repeats a system call that returned EINTR for the stop alone.
void call_again(pid_t process, struct stopped_thread *stopped);
enum thread_stop stop_thread(pid_t process, pid_t thread, struct stopped_thread *stopped);
// Goes on as if nothing had been.
void resume_thread(const struct stopped_thread *stopped);
