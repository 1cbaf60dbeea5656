// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "statements.h"

const char *end_of_token(const char *at);
// Records the values that `expanded` contains for the parameters of `sql`.
void keep_expanded(struct statement *statement, const char *sql, const char *expanded);
