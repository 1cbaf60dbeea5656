// SPDX-License-Identifier: Apache-2.0

#include "CAbortGuard.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

/* Where this thread goes back to; NULL outside of CAbortGuard_run. */
static _Thread_local sigjmp_buf *place;
/* Set once, before the handler can run. */
static struct sigaction previous;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void aborted(int signal) {
  if (place) siglongjmp(*place, 1);
  /* Not ours: as if the handler had never been set. */
  sigaction(SIGABRT, &previous, NULL);
  raise(signal);
}

static void install(void) {
  struct sigaction action = {0};
  action.sa_handler = aborted;
  /* The jump does not restore the signal mask, so the signal must not be in it. */
  action.sa_flags = SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGABRT, NULL, &previous);
  sigaction(SIGABRT, &action, NULL);
}

bool CAbortGuard_run(void (*body)(void *context), void *context) {
  sigjmp_buf here;
  sigjmp_buf *outer = place;
  pthread_once(&once, install);
  if (sigsetjmp(here, 0) != 0) {
    place = outer;
    return false;
  }
  place = &here;
  body(context);
  place = outer;
  return true;
}
