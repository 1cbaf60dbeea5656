// SPDX-License-Identifier: Apache-2.0

#pragma once

#define EXPORTED __attribute__((visibility("default")))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
