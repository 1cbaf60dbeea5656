// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "connections.h"

// Whether the program runs tests that the environment names.
bool has_named_tests(void);
void announce_test(const struct connection *connection);
// The hooks for the functions that change the environment, in which a test may be named.
void *environment_hook(const char *name);
