// SPDX-License-Identifier: Apache-2.0

#pragma once

// The hook for a function of libc that opens, closes or changes files by name, or NULL.
void *file_hook(const char *name);
