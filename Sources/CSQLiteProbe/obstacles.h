// SPDX-License-Identifier: Apache-2.0

#pragma once

// Why LTTng does not fit into this process, or NULL.
const char *lttng_obstacle(void);
// That of a process that may not make any system call.
extern const char restricted_calls[];
