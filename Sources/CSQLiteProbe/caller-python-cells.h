// SPDX-License-Identifier: Apache-2.0

// The cells of Jupyter's notebooks.

#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

// Replaces the name of a file that Jupyter made up for a cell by that of the cell, such as `In[3]`; returns whether it did.
bool name_cell(void *frame, char *file, size_t size);

#pragma GCC visibility pop
