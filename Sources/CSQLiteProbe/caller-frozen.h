// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>

#include "CSourceFiles.h"

#pragma GCC visibility push(hidden)

// Whether a file of a frozen program is one of Python's own or of a library of databases.
bool is_frozen_library(const char *file, enum CSourceFiles_language language);

#pragma GCC visibility pop
