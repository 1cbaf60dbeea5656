// SPDX-License-Identifier: Apache-2.0

// Calls a function of a library within a running process, by ptrace(2).

#pragma once

#include <sys/types.h>

enum CProbeInjector_outcome {
  CProbeInjector_done,
  // The process ended, or runs another program now.
  CProbeInjector_ended,
  // ptrace() is not permitted; `error` is its errno.
  CProbeInjector_not_permitted,
  // No thread was at a safe point in time; `detail` names where the last one was.
  CProbeInjector_no_safe_point,
  // The function did not return in time. It is left to complete; a thread that only waits for a lock was set back.
  CProbeInjector_hung,
  // The library was not loaded.
  CProbeInjector_not_loaded,
  // `detail` names what is missing.
  CProbeInjector_not_possible,
};

struct CProbeInjector_result {
  int outcome;
  int error;
  // What the function returned.
  int value;
  // The time for which the borrowed thread did not run the program, in µs.
  long stopped;
  char detail[200];
};

// Loads a library, unless a mapped file of the process is the same, and calls its function with a text, or with NULL.
//
// One thread runs both on a stack of its own, with all signals blocked. It is chosen where it holds no lock of the
// loader, of malloc() or of fork(), and runs no signal handler. The call completes by itself where this process ends.
struct CProbeInjector_result CProbeInjector_call(
  pid_t process, const char *library, const char *function, const char *argument, int milliseconds);
