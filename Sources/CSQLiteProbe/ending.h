// SPDX-License-Identifier: Apache-2.0

#pragma once

// The hook for pthread_exit(), and for _exit() and _Exit().
void *ending_hook(const char *name);
