// SPDX-License-Identifier: Apache-2.0

#pragma once

// The hook for pthread_exit().
void *ending_hook(void);
