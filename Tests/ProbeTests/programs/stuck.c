// SPDX-License-Identifier: Apache-2.0

// Waits for a byte at a place where nothing may be loaded: stuck malloc | dlopen | fork | handler. It then goes on,
// and prints `ok`. With `dlopen` it is also the library that waits.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void wait_for_byte(void) {
  char byte;
  ssize_t count = write(1, "ready\n", 6);
  count += read(0, &byte, 1);
  if (count < 7) _exit(3);
}

#ifdef LIBRARY

__attribute__((constructor)) static void start(void) { wait_for_byte(); }

#else

static bool is_stuck_in_malloc;

// A static program has one malloc().
#ifndef STATIC
extern void *__libc_malloc(size_t size);

__attribute__((visibility("default"), noinline)) void *malloc(size_t size) {
  if (is_stuck_in_malloc) {
    is_stuck_in_malloc = false;
    wait_for_byte();
  }
  return __libc_malloc(size);
}
#endif

static void handle(int signal) {
  (void)signal;
  wait_for_byte();
}

static void *volatile kept;

int main(int count, char **arguments) {
  const char *kind = count > 1 ? arguments[1] : "";
  int status = 0;
  if (strcmp(kind, "malloc") == 0) {
    is_stuck_in_malloc = true;
    kept = malloc(10);
  } else if (strcmp(kind, "dlopen") == 0) {
    if (!dlopen(arguments[2], RTLD_NOW)) return 1;
  } else if (strcmp(kind, "fork") == 0) {
    pthread_atfork(wait_for_byte, NULL, NULL);
    pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, &status, 0);
  } else if (strcmp(kind, "handler") == 0) {
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
  } else {
    return 2;
  }
  puts(status == 0 ? "ok" : "failed");
  return status;
}

#endif
