// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "caller-python-frames.h"

#pragma GCC visibility push(hidden)

// From a frame that works for a future to the frame of the task that awaits it, if that is more the program's own.
void look_at_awaiting_tasks(void *worker, struct ranked_frame *best);

#pragma GCC visibility pop
