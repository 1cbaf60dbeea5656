// SPDX-License-Identifier: Apache-2.0

#pragma once

// The hook for a function that closes descriptors, or NULL.
void *descriptor_hook(const char *name);
