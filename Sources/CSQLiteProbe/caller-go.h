// SPDX-License-Identifier: Apache-2.0

#pragma once

// Returns 0 in a program that is not in Go.
int go_frames(void **addresses, int limit);
