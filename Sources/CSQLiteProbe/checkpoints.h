// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "statements.h"

int checkpoint_recorded(struct copy *copy, sqlite3 *handle, const char *schema, int mode,
                        int *log_frames, int *checkpointed);
void checkpoint_returned(struct statement *statement, int64_t duration);
