// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "connections.h"

// Registers a connection; its events begin when a listener is enabled.
struct connection *open_connection(struct copy *copy, sqlite3 *handle, enum way way,
                                   bool is_hooked);
// The connection of a call. It may have been opened, or changed, while nothing observed it. NULL if it is not observed.
struct connection *known_connection(struct copy *copy, sqlite3 *handle);
void close_connection(struct connection *connection);
// Installs our callback, which calls the program's as well; with a mask of 0 removes it.
void set_trace(struct connection *connection, unsigned mask);
