#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the probe into .build/probe: Scripts/probe.sh
#
# By the C compiler and not by SwiftPM, whose dynamic libraries need the Swift runtime: the probe is
# loaded into every program and needs libc alone. LTTng's tracepoints are a library of their own, which
# is left out where lttng-ust's headers are not installed, or with PROBE_LTTNG=0.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

for compiler in "${CC:-}" cc gcc clang; do
  if [ -n "$compiler" ] && command -v "$compiler" >/dev/null; then break; fi
  compiler=
done
[ -n "$compiler" ] || fail "no C compiler found; install gcc or clang, or set CC"

source=Sources/CSQLiteProbe
files=Sources/CSQLiteFiles
sink=Sources/CLogSink
names=Sources/CSourceFiles
output=${PROBE_OUTPUT:-.build/probe}
flags=(-std=gnu11 -O2 -g -fPIC -fno-plt -shared -fvisibility=hidden -ftls-model=initial-exec -Wall -Wextra -Werror
  -I "$source" -I "$source/include" -I "$files" -I "$files/include" -I "$sink/include" -I "$names/include"
  -I Sources/CStoreTracepoints/include)
if "$compiler" -E -dM -x c /dev/null | grep -q __clang__; then flags+=(-fno-omit-frame-pointer); fi
# Never unloaded: the program's objects call it.
linking=(-Wl,-z,nodelete -Wl,-z,defs -Wl,-z,now -Wl,--as-needed)
mkdir -p "$output"

# Replaced by a rename: a running program may have the old file mapped.
build() { # NAME FLAGS... FILES...
  local name=$1
  shift
  "$compiler" "${flags[@]}" -Wl,-soname,"$name" -o "$output/$name.new" "$@" "${linking[@]}" "${libraries[@]}"
  mv "$output/$name.new" "$output/$name"
}

libraries=()
build libstorescope-probe.so "$source"/*.c "$files"/*.c "$sink"/*.c "$names"/*.c
if [ "${PROBE_LTTNG:-1}" = 0 ]; then
  rm -f "$output"/libstorescope-{probe-lttng,daemons}.so
elif printf '#include <lttng/tracepoint.h>\n' | "$compiler" -E - >/dev/null 2>&1; then
  libraries=(-llttng-ust -llttng-ust-common)
  build libstorescope-probe-lttng.so -Wno-unused-parameter -I "$source/lttng" "$source"/lttng/*.c
  libraries=()
  build libstorescope-daemons.so "$source"/daemons/*.c
else
  rm -f "$output"/libstorescope-{probe-lttng,daemons}.so
  say "lttng/tracepoint.h is missing: the probe writes debug logs and no traces; install liblttng-ust-dev"
fi
