// SPDX-License-Identifier: Apache-2.0

#pragma once

// The function that sqlite3_auto_extension() of a static copy calls for each connection.
void *static_entry(void);
