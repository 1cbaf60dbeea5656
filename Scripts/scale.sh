#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reads a log and a trace of one million events, and of ten: how fast, and in how much memory.
# Fails where ten million take over 10% more memory than one. SCALE_EVENTS is the larger number.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

events=${SCALE_EVENTS:-10000000}
heading "Build"
swift build -c release --product trace-report
swift build -c release --product event-emitter
bin=$(swift build -c release --show-bin-path)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints the seconds that a command took and its peak memory in KiB.
measure() {
  local pid peak=0 now start
  start=$(date +%s%N)
  "$@" > "$folder/out" & pid=$!
  while now=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status" 2> /dev/null) && [ -n "$now" ]; do
    peak=$now
    sleep 0.02
  done
  wait "$pid"
  echo "$(($(date +%s%N) - start)) $peak"
}

# Reads inputs of a kind: NAME, then a command that makes one of so many events.
compare() {
  local name=$1 make=$2 count before=0 time peak bytes
  for count in $((events / 10)) "$events"; do
    "$make" "$count"
    bytes=$(du -sb "$folder/input" | cut -f1)
    read -r time peak < <(measure "$bin/trace-report" summary "$folder/input")
    awk -v name="$name" -v n="$count" -v t="$time" -v b="$bytes" -v p="$peak" 'BEGIN {
      printf "%-5s %10d events %6d MB %8.2f s %6.2f million events/s %5d MB/s %7d KiB\n",
        name, n, b / 1e6, t / 1e9, n * 1e3 / t, b * 1e3 / t, p }'
    rm -rf "$folder/input"
    if [ "$before" -gt 0 ] && [ "$((peak * 10))" -gt "$((before * 11))" ]; then
      echo "$name: $peak KiB is over 10% more than $before KiB" >&2
      exit 1
    fi
    before=$peak
  done
}

log() {
  STORE_SQL_DEBUG=1 STORE_SQL_DEBUG_FILE="$folder/input" "$bin/event-emitter" mix "$1"
}

trace() {
  "$bin/trace-report" record --lossless -o "$folder/input" -- "$bin/event-emitter" mix "$1"     > "$folder/out" 2>&1
}

heading "Reading"
compare log log
compare trace trace
