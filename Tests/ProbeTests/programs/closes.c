// SPDX-License-Identifier: Apache-2.0

// Opens and closes files in a thread that may not open more, closes all numbers that it has not opened, and goes on.

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "library.h"

// LTTng's lock takes this call.
static void forbid_signal_masks(void) {
  struct sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 1),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) exit(1);
}

static void *use_files(void *file) {
  forbid_signal_masks();
  for (int i = 0; i < 1000; i++) {
    int descriptor = open(file, O_RDONLY);
    if (descriptor < 0 || close(descriptor) != 0) exit(2);
  }
  // The end of a thread sets the mask.
  syscall(SYS_exit, 0);
  return NULL;
}

int main(void) {
  sqlite3 *handle;
  check(sqlite3_open(":memory:", &handle), NULL);
  query(handle, "SELECT 1", 0);
  pthread_t thread;
  if (pthread_create(&thread, NULL, use_files, "/dev/null") != 0) return 3;
  pthread_join(thread, NULL);
  for (int i = 3; i < 2000; i++) close(i);
  for (int i = 0; i < 100; i++) query(handle, "SELECT ?", i);
  check(sqlite3_close(handle), handle);
  print_counts();
  return 0;
}
