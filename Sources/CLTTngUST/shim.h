#include <lttng/tracepoint.h>
