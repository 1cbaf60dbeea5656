// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "statements.h"

// Before a run that may write; and after it.
void writes_will_begin(struct statement *statement);
enum effect effect_of(const struct statement *statement);
