// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "connections.h"

void announce_test(const struct connection *connection);
// The hooks for the functions that change the environment, in which a test may be named.
void *environment_hook(const char *name);
