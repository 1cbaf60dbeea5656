// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "events.h"

int native_frames(void **addresses, int count);
bool describe_frames(void *const *addresses, int count, struct caller_event *caller, char *buffer,
                     size_t size);
