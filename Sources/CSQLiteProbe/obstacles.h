// SPDX-License-Identifier: Apache-2.0

#pragma once

// Why LTTng does not fit into this process, or NULL.
const char *lttng_obstacle(void);
