// SPDX-License-Identifier: Apache-2.0

// Processes that restrict themselves.

#include "host.h"

#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>

enum { MAX_CALLS = 100 };

// Installs a filter: `action` for the calls of the list, or for all others.
static void filter(unsigned action, bool is_list_allowed, unsigned flags, const int *calls, size_t count) {
  struct sock_filter program[MAX_CALLS * 2 + 8];
  unsigned short length = 0;
  program[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < count; i++) {
    program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
    program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, is_list_allowed ? SECCOMP_RET_ALLOW : action);
  }
  program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, is_list_allowed ? action : SECCOMP_RET_ALLOW);
  struct sock_fprog list = {length, program};
  DEMAND(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  DEMAND(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &list) == 0);
}

#define DENY(action, ...) \
  filter(action, false, 0, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

// The calls that SQLite, printf() and exit() need, and no more.
static const int needed[] = {
    SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_openat, SYS_close, SYS_fstat, SYS_newfstatat, SYS_lseek,
    SYS_fcntl, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_brk, SYS_fsync, SYS_fdatasync, SYS_ftruncate,
    SYS_unlink, SYS_getpid, SYS_getcwd, SYS_readlink, SYS_lstat, SYS_stat, SYS_access, SYS_geteuid, SYS_futex,
    SYS_fchmod, SYS_fchown, SYS_getrandom, SYS_exit_group, SYS_clock_gettime};

static void allow_only(unsigned flags) {
  filter(SECCOMP_RET_KILL_PROCESS, true, flags, needed, sizeof needed / sizeof *needed);
}

static void filter_before(void) {
  allow_only(0);
  work();
}

static void filter_after(void) {
  work();
  allow_only(0);
  work();
  printf("buffered");
}

static void filter_of_all_threads(void) {
  work();
  allow_only(SECCOMP_FILTER_FLAG_TSYNC);
  work();
  printf("buffered");
}

static void filter_on_the_way(void) {
  sqlite3 *handle = connection(":memory:");
  number(handle, "SELECT 1");
  allow_only(0);
  for (int i = 0; i < 3000; i++) number(handle, "SELECT 2");
  printf("number %d\n", number(handle, "SELECT 3"));
  sqlite3_close(handle);
}

static void filter_of_sockets(void) {
  DENY(SECCOMP_RET_KILL_PROCESS, SYS_socket, SYS_connect, SYS_sendmsg, SYS_recvmsg);
  work();
}

static void filter_of_sockets_by_errors(void) {
  DENY(SECCOMP_RET_ERRNO | EPERM, SYS_socket, SYS_connect, SYS_sendmsg, SYS_recvmsg);
  work();
}

static void filter_of_threads(void) {
  DENY(SECCOMP_RET_KILL_PROCESS, SYS_clone, SYS_clone3);
  work();
}

static void filter_of_threads_by_errors(void) {
  DENY(SECCOMP_RET_ERRNO | EAGAIN, SYS_clone, SYS_clone3);
  work();
}

static void inherited_filter(void) {
  if (getenv("FILTERED")) return work();
  setenv("FILTERED", "1", 1);
  DENY(SECCOMP_RET_KILL_PROCESS, SYS_socket, SYS_sendmsg, SYS_recvmsg);
  execl("/proc/self/exe", "sandboxes", "inherited_filter", NULL);
  DEMAND(false);
}

static void filter_in_a_child(void) {
  work();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    DENY(SECCOMP_RET_KILL_PROCESS, SYS_socket, SYS_clone, SYS_clone3, SYS_recvmsg);
    work();
    exit(12);
  }
  printf("child %d\n", wait_for(child));
}

static void strict_mode(void) {
  sqlite3 *handle = connection(":memory:");
  sqlite3_stmt *statement;
  DEMAND(sqlite3_prepare_v2(handle, "SELECT 41", -1, &statement, NULL) == SQLITE_OK);
  sqlite3_step(statement), sqlite3_reset(statement);
  DEMAND(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) == 0);
  char digit = (char)('0' + (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 41));
  if (write(STDOUT_FILENO, &digit, 1) != 1) syscall(SYS_exit, 1);
  syscall(SYS_exit, 13);
}

static void other_root_before(void) {
  DEMAND(chroot(".") == 0 && chdir("/") == 0);
  work();
}

static void other_root_after(void) {
  work();
  DEMAND(chroot(".") == 0 && chdir("/") == 0);
  printf("buffered until the end");
  exit(14);
}

static void landlock(void) {
  struct landlock_ruleset_attr attributes = {.handled_access_fs = 0x1fff};
  work();
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (rules < 0) printf("no landlock\n");
  DEMAND(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  if (rules >= 0) DEMAND(syscall(SYS_landlock_restrict_self, rules, 0) == 0);
  work();
  printf("buffered until the end");
}

static void another_user(void) {
  work();
  DEMAND(setgid(65534) == 0 && setuid(65534) == 0);
  work();
}

static void closes_and_unshares(void) {
  work();
  DEMAND(close_range(3, ~0u, CLOSE_RANGE_UNSHARE) == 0);
  int null = open("/dev/null", O_RDWR);
  printf("next %d\n", null);
  work();
}

static void *closes_its_own(void *unused) {
  DEMAND(close_range(3, ~0u, CLOSE_RANGE_UNSHARE) == 0);
  char name[32];
  for (int i = 0; i < 40; i++) {
    snprintf(name, sizeof name, "own-%d", i);
    DEMAND(open(name, O_RDWR | O_CREAT | O_TRUNC, 0600) == 3 + i);
  }
  for (int i = 0; i < 20; i++) work();
  for (int i = 0; i < 40; i++) {
    struct stat status;
    DEMAND(fstat(3 + i, &status) == 0 && status.st_size == 0);
  }
  return unused;
}

static void a_thread_closes_and_unshares(void) {
  work();
  pthread_join(thread_of(closes_its_own, NULL, 0), NULL);
  work();
}

static void closes_on_execution(void) {
  work();
  DEMAND(close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) == 0);
  work();
}

static void closes_all(void) {
  work();
  for (int i = 3; i < 1024; i++) close(i);
  work();
  closefrom(3);
  work();
}

static void undumpable(void) {
  DEMAND(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
  work();
  DEMAND(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  work();
}

static void another_namespace(void) {
  if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) != 0) printf("no namespace\n");
  work();
}

HOSTS({"filter_before", filter_before}, {"filter_after", filter_after},
      {"filter_of_all_threads", filter_of_all_threads}, {"filter_on_the_way", filter_on_the_way},
      {"filter_of_sockets", filter_of_sockets}, {"filter_of_sockets_by_errors", filter_of_sockets_by_errors},
      {"filter_of_threads", filter_of_threads}, {"filter_of_threads_by_errors", filter_of_threads_by_errors},
      {"inherited_filter", inherited_filter}, {"filter_in_a_child", filter_in_a_child},
      {"strict_mode", strict_mode}, {"other_root_before", other_root_before},
      {"other_root_after", other_root_after}, {"landlock", landlock}, {"another_user", another_user},
      {"closes_and_unshares", closes_and_unshares},
      {"a_thread_closes_and_unshares", a_thread_closes_and_unshares},
      {"closes_on_execution", closes_on_execution}, {"closes_all", closes_all}, {"undumpable", undumpable},
      {"another_namespace", another_namespace})
