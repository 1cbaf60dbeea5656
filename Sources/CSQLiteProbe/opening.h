// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "connections.h"

// Registers a connection; its events begin when a listener is enabled.
struct connection *open_connection(struct copy *copy, sqlite3 *handle, enum way way,
                                   bool is_hooked);
// Registers a connection that was opened before the probe observed it.
struct connection *adopt_connection(struct copy *copy, sqlite3 *handle);
void close_connection(struct connection *connection);
// Installs our callback, which calls the program's as well; with a mask of 0 removes it.
void set_trace(struct connection *connection, unsigned mask);
