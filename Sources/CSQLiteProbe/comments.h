// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "events.h"

bool comment_caller(const char *sql, struct caller_event *caller, char *buffer, size_t size);
// Copies SQL without the comments that name a caller; returns 0 if it has none.
size_t sql_without_tags(const char *sql, size_t length, char *buffer);
