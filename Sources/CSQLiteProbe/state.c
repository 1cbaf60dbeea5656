// SPDX-License-Identifier: Apache-2.0

#include "state.h"

#include "events.h"
#include "open-databases.h"

_Thread_local struct thread this_thread;

int log_level;
const int tracepoints_off = 0;
const int *tracepoint_state = &tracepoints_off;
const struct tracepoints *tracepoints;
struct file_watch file_watch = {.first_of_lttng = ~0u};
bool record_values;
bool values_are_whole;
unsigned generation = 1;
int was_recording;
unsigned current_recording;
bool is_received = true;
bool is_filtered;
bool is_idle;
int recording_process;
