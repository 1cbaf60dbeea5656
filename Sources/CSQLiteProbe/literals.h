// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stddef.h>
#include <stdint.h>

// Return an allocated literal; a long value is cut, and its length is stated.
char *literal_of_text(const char *text, size_t length);
char *literal_of_blob(const unsigned char *blob, size_t length);
char *literal_of_zeroes(uint64_t length);
