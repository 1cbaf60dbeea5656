// SPDX-License-Identifier: Apache-2.0

// The state of each thread, and of the recording.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "macros.h"

#pragma GCC visibility push(hidden)

enum { CACHED_STATEMENTS = 16 };

// A call of sqlite3_exec() or sqlite3_get_table() on this thread; a user-defined function or a row's callback may
// call within another one.
struct exec {
  struct exec *outer;
  struct connection *connection;
  // The statement of it that runs, and the run that the call interrupted.
  struct sqlite3_stmt *running;
  struct connection *inside;
  int64_t callback_ns;
};

struct thread {
  struct statement *cache[CACHED_STATEMENTS];
  // The statement of a long fetch; its next steps are not timed.
  struct statement *fetching;
  // The connection for which SQLite is at work on this thread, and the innermost sqlite3_exec().
  struct connection *inside;
  struct exec *exec;
  int64_t callback_ns;
  // Waits for locks since they were last reported.
  uint64_t busy_attempts;
  int64_t busy_ns;
  int excluding;
  // See guard.c: where the stack has room, and how much.
  bool is_guarded, has_bounds, is_on_own_stack;
  uintptr_t roomy_stack, roomy_size;
  // A connection that was observed within the running sqlite3_open(), by another way in.
  struct connection *opened;
  // The name by which the program opens one.
  const char *opening;
  // Whether the connection that is registered was open before.
  bool is_adopting;
  int32_t thread_id;
  // The connections and messages that it received from the network.
  uint64_t received;
  // The statements that were prepared last, until they run.
  struct {
    struct sqlite3_stmt *stmt;
    int64_t ns;
  } prepared[8];
  unsigned prepared_count;
};

extern _Thread_local struct thread this_thread __attribute__((tls_model("initial-exec")));

// The level of the debug log, and the states of the tracepoints: 0 is off.
extern int log_level;
extern const int tracepoints_off;
extern const int *tracepoint_state;
// NULL without LTTng; and the process that loaded it or was forked from that one.
extern const struct tracepoints *tracepoints;
extern int recording_process;
extern bool record_values;
// Whether each value is kept whole, so that the statements can be run again.
extern bool values_are_whole;
// Raised when all that was announced is due again: after a fork, and when a listener begins.
extern unsigned generation;
extern int was_recording;
// Raised when a recorder attaches.
extern unsigned current_recording;
// Whether a session accepts the events of this process, as far as is known; true without tracepoints.
extern bool is_received;
// Whether the library does nothing: loaded to attach later, or detached.
extern bool is_idle;
// Whether the program restricted its system calls.
extern bool is_filtered;

// Whether values are kept as literals.
static inline bool keeps_values(void) { return UNLIKELY(record_values || log_level >= 2); }

#pragma GCC visibility pop
