// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "connections.h"

// Finds the callbacks that the program installed on a connection before the probe observed it.
void find_program_trace(struct connection *connection);
