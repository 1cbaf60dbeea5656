// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>

#include "events.h"

bool ruby_caller(struct caller_event *caller, bool may_lock);
