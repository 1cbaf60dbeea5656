// SPDX-License-Identifier: Apache-2.0

// The return addresses of a stopped thread, by the frame descriptions that compilers write (.eh_frame).

#pragma once

#include "remote.h"

enum { REGISTER_RBX = 3, REGISTER_RBP = 6, REGISTER_RSP = 7, REGISTER_RA = 16, REGISTERS = 17 };

// By DWARF's numbers on x86-64; the last one is the address of the next instruction.
struct unwind_frame {
  uint64_t registers[REGISTERS];
};

enum unwind_step { UNWIND_CALLER, UNWIND_LAST, UNWIND_FAILED };

// Replaces a frame by that of its caller.
enum unwind_step unwind(const struct remote *remote, struct unwind_frame *frame, bool is_innermost);
