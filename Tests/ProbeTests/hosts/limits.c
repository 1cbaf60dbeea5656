// SPDX-License-Identifier: Apache-2.0

// Processes with little room: before their first connection, or after it.

#include "host.h"

static void limit(int resource, rlim_t value) {
  struct rlimit limit = {value, value};
  DEMAND(setrlimit(resource, &limit) == 0);
}

// Fills the memory up to the limit, and frees it.
static void use_memory(size_t megabytes) {
  char *bytes[1024];
  size_t count = 0;
  while (count < megabytes && count < 1024 && (bytes[count] = malloc(1 << 20))) memset(bytes[count++], 1, 1 << 20);
  printf("megabytes %zu\n", count);
  for (size_t i = 0; i < count; i++) free(bytes[i]);
}

static void address_space(void) {
  limit(RLIMIT_AS, 256 << 20);
  work();
  use_memory(150);
  work();
}

static void address_space_after(void) {
  work();
  limit(RLIMIT_AS, 4ull << 30);
  use_memory(100);
  work();
}

static void data_segment(void) {
  limit(RLIMIT_DATA, 24 << 20);
  work();
  use_memory(12);
  work();
}

static void open_files(int count) {
  int files[64], opened = 0;
  while (opened < count && (files[opened] = open("/dev/null", O_RDONLY)) >= 0) opened++;
  printf("opened %d of %d\n", opened, count);
  while (opened > 0) close(files[--opened]);
}

static void descriptors(void) {
  limit(RLIMIT_NOFILE, 12);
  work();
  open_files(6);
  work();
}

static void descriptors_one(void) {
  limit(RLIMIT_NOFILE, 4);
  work();
  open_files(1);
  work();
}

static void descriptors_after(void) {
  work();
  limit(RLIMIT_NOFILE, 12);
  open_files(6);
  work();
}

static void descriptors_in_use(void) {
  for (int i = 0; i < 1000; i++)
    if (open("/dev/null", O_RDONLY) < 0) break;
  limit(RLIMIT_NOFILE, 1024);
  work();
  open_files(16);
}

// The number of the next descriptor, and descriptors of fixed numbers.
static void descriptor_numbers(void) {
  sqlite3 *handle = connection(":memory:");
  number(handle, "SELECT 1");
  int null = open("/dev/null", O_RDWR);
  printf("next %d\n", null);
  for (int i = 10; i < 60; i++) DEMAND(dup2(null, i) == i);
  for (int i = 0; i < 1000; i++) number(handle, "SELECT 2");
  for (int i = 10; i < 60; i++) DEMAND(close(i) == 0);
  printf("number %d\n", number(handle, "SELECT 3"));
  sqlite3_close(handle);
}

static _Atomic int signals;
static void count_signal(int signal_number) { signals += signal_number == SIGXFSZ; }

static void file_size(void) {
  limit(RLIMIT_FSIZE, 2048);
  for (int i = 0; i < 5; i++) work();
}

static void file_size_and_a_handler(void) {
  signal(SIGXFSZ, count_signal);
  limit(RLIMIT_FSIZE, 2048);
  for (int i = 0; i < 5; i++) work();
  int file = open("full", O_RDWR | O_CREAT | O_TRUNC, 0600);
  char bytes[4096] = "";
  DEMAND(pwrite(file, bytes, sizeof bytes, 0) == 2048);
  printf("written %zd\n", pwrite(file, bytes, sizeof bytes, 2048));
  printf("signals %d\n", signals);
}

// A signal of the program's own that is pending stays pending.
static void file_size_and_a_mask(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  limit(RLIMIT_FSIZE, 2048);
  work(), work();
  sigpending(&set);
  printf("pending %d\n", sigismember(&set, SIGXFSZ));
  raise(SIGXFSZ);
  work(), work();
  sigpending(&set);
  printf("pending %d\n", sigismember(&set, SIGXFSZ));
}

static void stack(void) {
  limit(RLIMIT_STACK, 128 << 10);
  work();
}

static void *nothing(void *unused) { return unused; }

static void processes(void) {
  DEMAND(setgid(64321) == 0 && setuid(64321) == 0);
  limit(RLIMIT_NPROC, 2);
  work();
  pthread_join(thread_of(nothing, NULL, 0), NULL);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(3);
  printf("child %d\n", child > 0 ? wait_for(child) : errno);
}

static void one_process(void) {
  DEMAND(setgid(64322) == 0 && setuid(64322) == 0);
  limit(RLIMIT_NPROC, 1);
  work();
}

static void locked_memory(void) {
  limit(RLIMIT_MEMLOCK, 0);
  limit(RLIMIT_SIGPENDING, 0);
  limit(RLIMIT_MSGQUEUE, 0);
  work();
}

HOSTS({"address_space", address_space}, {"address_space_after", address_space_after},
      {"data_segment", data_segment}, {"descriptors", descriptors}, {"descriptors_one", descriptors_one},
      {"descriptors_after", descriptors_after}, {"descriptors_in_use", descriptors_in_use},
      {"descriptor_numbers", descriptor_numbers}, {"file_size", file_size},
      {"file_size_and_a_handler", file_size_and_a_handler}, {"file_size_and_a_mask", file_size_and_a_mask},
      {"stack", stack}, {"processes", processes}, {"one_process", one_process}, {"locked_memory", locked_memory})
