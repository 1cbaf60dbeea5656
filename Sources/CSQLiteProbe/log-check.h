// SPDX-License-Identifier: Apache-2.0

// The sum over the lines of a log that its closing line states; see StoreEvents/LogCheck.swift.

#pragma once

#include <stddef.h>
#include <stdint.h>

struct log_check {
  uint64_t lines;
  uint64_t sum;
};

uint64_t line_hash(const char *bytes, size_t count);
// Adds lines that each end in a line feed.
void check_lines(struct log_check *check, const char *bytes, size_t count);
