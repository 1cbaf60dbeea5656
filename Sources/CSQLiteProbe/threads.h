// SPDX-License-Identifier: Apache-2.0

#pragma once

// Waits until the threads of LTTng have ended, for at most a second.
void wait_for_lttng_threads(void);
// Waits until this thread and LTTng's are the only ones.
void wait_for_program_threads(void);
