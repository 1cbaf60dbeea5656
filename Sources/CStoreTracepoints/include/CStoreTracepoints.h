// SPDX-License-Identifier: Apache-2.0

// The LTTng-UST provider `objectstore` as plain C. LTTng's macros, which Swift cannot import, are
// not in this header. Without STORE_LTTNG every function exists, none is enabled, and none has an
// effect.

#ifndef CStoreTracepoints_h
#define CStoreTracepoints_h

#include <stdbool.h>
#include <stdint.h>

#include "vocabulary.h"

// The kernel's id of the calling thread, kept per thread; Swift's Glibc does not show `gettid`.
int32_t CStoreTracepoints_thread_id(void);

// Calls a function with the exit code when the process ends by exit(), after what atexit() registered.
void CStoreTracepoints_at_end(void (*function)(int32_t status));

// Whether any event of the provider is enabled in any session.
bool CStoreTracepoints_any_enabled(void);

// One function an event, such as CStoreTracepoints_fetch_end(const struct fetch_end_event *).
#define DECLARE(name) void CStoreTracepoints_##name(const struct name##_event *event);
STORE_EVENTS(DECLARE)
#undef DECLARE

#endif
