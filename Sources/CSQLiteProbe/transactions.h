// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "connections.h"

void transaction_after(struct connection *connection, struct ended_run *run, int code);
void transaction_at_close(struct connection *connection);
