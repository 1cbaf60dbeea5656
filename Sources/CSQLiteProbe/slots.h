// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>

// Patches the objects that were loaded since the last call. Never waits for another thread, which
// may hold the loader's lock: that thread then also patches the new objects of this one.
void patch_new_objects(bool is_deep);
// Undoes it in all objects that are still loaded.
void restore_slots(void);
