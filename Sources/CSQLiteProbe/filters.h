// SPDX-License-Identifier: Apache-2.0

#pragma once

long hook_syscall(long number, long a, long b, long c, long d, long e, long f);

// The hooks for the functions by which a program forbids itself system calls.
void *filter_hook(const char *name);
