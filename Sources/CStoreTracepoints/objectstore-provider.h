// SPDX-License-Identifier: Apache-2.0

// Read several times by LTTng's own headers, each time with other macros: hence the odd guards.

#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER objectstore

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "objectstore-provider.h"

#if !defined(objectstore_provider_h) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define objectstore_provider_h

#include <lttng/tracepoint.h>

#include "CStoreTracepoints.h"

/* For `enable-event --filter 'recording == N'`, which keeps a recording to its own processes; it
 * is evaluated there and not written. */
#undef RECORDING
#define RECORDING lttng_ust_field_integer_nowrite(int64_t, recording, CStoreTracepoints_recording)

#undef UNSIGNED
#define UNSIGNED(field) lttng_ust_field_integer(uint64_t, field, event->field)
#undef SIGNED
#define SIGNED(field) lttng_ust_field_integer(int64_t, field, event->field)
#undef TEXT
#define TEXT(field) lttng_ust_field_string(field, event->field)

#undef TRACEPOINT
#define TRACEPOINT(name) \
  LTTNG_UST_TRACEPOINT_EVENT( \
      objectstore, name, LTTNG_UST_TP_ARGS(const struct name##_event *, event), \
      LTTNG_UST_TP_FIELDS( \
          UNSIGNED(context_id) FIELDS_##name(UNSIGNED, SIGNED, TEXT) RECORDING)) \
  LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, name, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)
STORE_EVENTS(TRACEPOINT)

#endif

#include <lttng/tracepoint-event.h>
