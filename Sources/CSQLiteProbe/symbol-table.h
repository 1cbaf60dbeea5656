// SPDX-License-Identifier: Apache-2.0

// The table of all symbols in an object's file, which is not mapped.

#pragma once

#include <stdbool.h>
#include <stddef.h>

// Passes each function to `is_found` until that returns true. Only of the file that is mapped at `base`.
void find_symbol(const char *path, const void *base,
                 bool (*is_found)(void *context, const char *name, const void *address, size_t size), void *context);
