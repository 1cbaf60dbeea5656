// SPDX-License-Identifier: Apache-2.0

#pragma once

// The hook for a function by which Python's threads wait for a connection, or NULL.
void *pool_wait_hook(const char *name);
