// SPDX-License-Identifier: Apache-2.0

#pragma once

// The hooks for the functions by which a program forbids itself system calls.
void *filter_hook(const char *name);
