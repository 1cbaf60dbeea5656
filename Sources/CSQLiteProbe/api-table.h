// SPDX-License-Identifier: Apache-2.0

#pragma once

enum { API_MUTEX_ALLOC = 130, API_MUTEX_LEAVE = 133, API_MUTEX_TRY = 134, API_AUTO_EXTENSION = 192 };

// The table of sqlite3_api_routines in the object that is mapped at an address; NULL without one. It calls nothing.
void *const *find_api_table(const void *base);
