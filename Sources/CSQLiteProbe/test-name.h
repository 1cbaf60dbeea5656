// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "connections.h"

void announce_test(const struct connection *connection);
