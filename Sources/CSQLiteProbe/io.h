// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "connections.h"

// Before a copy opens a database, and after it did.
void io_will_open(const struct copy *copy);
void io_opened(struct connection *connection);
void io_closed(struct connection *connection);
// A run ended; its transaction began; its transaction ended. Only where `connection->io` is set.
void io_of_run(struct connection *connection, const struct ended_run *run);
void io_transaction_began(struct connection *connection);
void io_committed(struct connection *connection, const struct ended_run *run,
                  const struct transaction_event *transaction);
