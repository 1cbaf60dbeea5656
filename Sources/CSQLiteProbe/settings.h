// SPDX-License-Identifier: Apache-2.0

#pragma once

// The value of a setting: that of the recorder that attached, or the environment's; NULL without one.
const char *setting(const char *name);
// Copies lines of the form `NAME=VALUE`; NULL for none.
void set_settings(const char *lines);
