// SPDX-License-Identifier: Apache-2.0

// Read several times by LTTng's own headers, each time with other macros: hence the odd guards.

#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER sqliteprobe

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "sqliteprobe-provider.h"

#if !defined(sqliteprobe_provider_h) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define sqliteprobe_provider_h

#include <lttng/tracepoint.h>

#include "events.h"

/* For `enable-event --filter 'recording == N'`, which keeps a recording to its own processes; it
 * is evaluated there and not written. */
#undef RECORDING
#define RECORDING \
  lttng_ust_field_integer_nowrite(int64_t, recording, storescope_end(delivery))

/* The probe has no contexts; the field is that of the store's events. */
#undef CONTEXT
#define CONTEXT lttng_ust_field_integer(uint64_t, context_id, storescope_begin(delivery))

#undef UNSIGNED
#define UNSIGNED(field) lttng_ust_field_integer(uint64_t, field, event->field)
#undef SIGNED
#define SIGNED(field) lttng_ust_field_integer(int64_t, field, event->field)
#undef TEXT
#define TEXT(field) lttng_ust_field_string(field, storescope_accept(delivery, event->field))

#undef TRACEPOINT
#define TRACEPOINT(name) \
  LTTNG_UST_TRACEPOINT_EVENT( \
      sqliteprobe, name, \
      LTTNG_UST_TP_ARGS(const struct name##_event *, event, struct delivery *, delivery), \
      LTTNG_UST_TP_FIELDS(CONTEXT FIELDS_##name(UNSIGNED, SIGNED, TEXT) RECORDING)) \
  LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, name, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)
PROBE_EVENTS(TRACEPOINT)

#endif

#include <lttng/tracepoint-event.h>
