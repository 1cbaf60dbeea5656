// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "statements.h"

void values_cleared(struct statement *statement);
void value_bound(struct statement *statement, int index, uint64_t hash);
// Frees the literal later.
void value_kept(struct statement *statement, int index, char *literal);
uint64_t keyed_hash(const char *text);
void record_bound_values(const struct statement *statement, uint64_t hash);
