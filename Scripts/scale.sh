#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reads a log and a trace of one million events, and of ten: how fast, and in how much memory.
# Fails where the longer one takes over 10% more memory, or where an event is missing.
# SCALE_EVENTS is the length of the longer one.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

# With fewer the tables of a report are still being filled, and its memory grows for that reason.
few=1000000
many=${SCALE_EVENTS:-10000000}
[ "$many" -gt "$few" ] || fail "SCALE_EVENTS must be above $few"
heading "Build"
swift build -c release --product trace-report
swift build -c release --product event-emitter
bin=$(swift build -c release --show-bin-path)
trace_report=$bin/trace-report
emitter=$bin/event-emitter
processor=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Sets `time` to the nanoseconds that a command took and `peak` to its memory in KiB, at its largest.
measure() {
  local pid start
  start=$(date +%s%N)
  "$@" >"$folder/out" &
  pid=$!
  # Until it has ended: its memory cannot be read after that.
  while peak_of "$pid"; do sleep 0.05; done
  wait "$pid" || fail "$* failed"
  time=$(($(date +%s%N) - start))
}

peak_of() {
  local key value
  while read -r key value _; do
    if [ "$key" = VmHWM: ]; then
      peak=$value
      return 0
    fi
  done 2>/dev/null <"/proc/$1/status"
  return 1
}

# Reads inputs of a kind: NAME, then a command that makes one of so many events.
compare() {
  local name=$1 make=$2 count before=0 bytes seen time peak
  for count in "$few" "$many"; do
    "$make" "$count"
    bytes=$(du -sb "$folder/input" | cut -f1)
    measure "$trace_report" summary "$folder/input"
    rm -rf "$folder/input"
    seen=$(sed -n 's/.*: \([0-9,]*\) events, none lost$/\1/p' "$folder/out" | tr -d ,)
    [ "${seen:-0}" -ge "$count" ] || fail "$name: ${seen:-not all} of $count events were read"
    awk -v name="$name" -v n="$seen" -v t="$time" -v b="$bytes" -v p="$peak" 'BEGIN {
      printf "%-5s %10d events %5d MB %7.2f s %6.2f million events/s %5d MB/s %7d KiB\n",
        name, n, b / 1e6, t / 1e9, n * 1e3 / t, b * 1e3 / t, p }'
    if [ "$before" -gt 0 ] && [ "$((peak * 10))" -gt "$((before * 11))" ]; then
      fail "$name: $peak KiB is over 10% more than $before KiB"
    fi
    before=$peak
  done
}

log() {
  STORE_SQL_DEBUG=1 STORE_SQL_DEBUG_FILE="$folder/input" "$emitter" mix "$1"
}

# On one processor: a packet of each stream is mapped, and there is a stream for each processor that
# the program ran on.
trace() {
  "$trace_report" record --lossless -o "$folder/input" -- taskset -c "$processor" "$emitter" mix "$1" \
    >"$folder/out" 2>&1 ||
    fail "$(cat "$folder/out")"
}

heading "Reading"
compare log log
compare trace trace
