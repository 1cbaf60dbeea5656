// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "events.h"

bool perl_caller(struct caller_event *caller, char *buffer, size_t size);
