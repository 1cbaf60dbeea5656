// SPDX-License-Identifier: Apache-2.0

#pragma once

// Our trace callback.
int traced(unsigned event, void *context, void *object, void *detail);
