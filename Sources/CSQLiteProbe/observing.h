// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "statements.h"

// The record of a statement of an observed connection, made on its first use; NULL otherwise.
struct statement *observe_statement(struct copy *copy, sqlite3_stmt *stmt);
