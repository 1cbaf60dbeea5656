// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CAbortGuard.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* Where this thread goes back to; NULL outside of CAbortGuard_run. */
static _Thread_local sigjmp_buf *place;
/* A division by zero too: of a clock without a frequency. */
static const int signals[] = {SIGABRT, SIGFPE};
/* Set once, before the handler can run. */
static struct sigaction previous[sizeof signals / sizeof *signals];
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* glibc's `stderr` is a variable; `quiet` stands in it while `silenced` threads are in the
 * library. The mutex is for both: a thread that leaves must not undo what one that enters did. */
static FILE *loud, *quiet;
static int silenced;
static pthread_mutex_t silence_mutex = PTHREAD_MUTEX_INITIALIZER;

static void aborted(int signal) {
  if (place) siglongjmp(*place, 1);
  /* Not ours: as if the handler had never been set. */
  sigaction(signal, &previous[signal == SIGFPE], NULL);
  raise(signal);
}

static void silence(void) {
  pthread_mutex_lock(&silence_mutex);
  if (silenced++ == 0 && quiet) stderr = quiet;
  pthread_mutex_unlock(&silence_mutex);
}

static void silence_end(void) {
  pthread_mutex_lock(&silence_mutex);
  if (--silenced == 0 && quiet) stderr = loud;
  pthread_mutex_unlock(&silence_mutex);
}

static void install(void) {
  loud = stderr;
  quiet = fopen("/dev/null", "we");
  struct sigaction action = {0};
  action.sa_handler = aborted;
  /* The jump does not restore the signal mask, so the signal must not be in it. */
  action.sa_flags = SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &action, &previous[i]);
}

bool CAbortGuard_run_silently(void (*body)(void *context), void *context) {
  int error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (error >= 0 && null >= 0) dup2(null, STDERR_FILENO);
  bool came_back = CAbortGuard_run(body, context);
  if (error >= 0 && null >= 0) dup2(error, STDERR_FILENO);
  if (error >= 0) close(error);
  if (null >= 0) close(null);
  return came_back;
}

bool CAbortGuard_run(void (*body)(void *context), void *context) {
  sigjmp_buf here;
  sigjmp_buf *outer = place;
  pthread_once(&once, install);
  silence();
  if (sigsetjmp(here, 0) != 0) {
    place = outer;
    silence_end();
    return false;
  }
  place = &here;
  body(context);
  place = outer;
  silence_end();
  return true;
}
