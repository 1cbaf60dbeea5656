// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <pthread.h>

// Hooks for the functions that a copy within a program calls first when it initializes itself.
char *hook_getenv(const char *name);
int hook_mutexattr_settype(pthread_mutexattr_t *attributes, int type);
// Called when an object was unloaded: another one may have its addresses.
void forget_hooked_caller(void);
