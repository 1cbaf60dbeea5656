#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds all that is measured, and measures it: Scripts/bench.sh [--quick] [options of store-bench]
#
# --quick builds the other programs only if they were built before: from a clean checkout it leaves
# out what they do, and states that in its report.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

Scripts/setup.sh --bench

# All that the run writes, gigabytes for a while; removed whatever ends it.
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/storescope-bench.XXXXXX")
export TMPDIR
running=()
clean_up() {
  local group
  for group in "${running[@]}"; do kill -- "-$group" 2>/dev/null && wait "$group" || true; done
  # A recorder that was ended may still be writing its trace.
  for _ in {1..50}; do
    rm -rf "$TMPDIR" 2>/dev/null && break
    sleep 0.2
  done
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# Runs a command with a process group of its own, all of which can be ended; in the background, or
# the shell would handle a signal only when it is done.
start() {
  set -m
  "$@" &
  set +m
  running+=("$!")
}

# The status of the first that fails, of all that were started.
finish() {
  local group status=0
  for group in "${running[@]}"; do wait "$group" || status=$?; done
  running=()
  return "$status"
}

untraced=(-c release --package-path Benchmarks --scratch-path Benchmarks/.build/untraced
  --disable-default-traits)

# store-bench with what it runs, and the store with its tracepoints compiled out for the ladder.
build_store() {
  remove_stale_objects
  swift build -c release --package-path Benchmarks
  if [ "$1" = untraced ]; then swift build "${untraced[@]}" --product bench-worker; fi
}

# As `make install` builds them: with the Swift libraries linked statically.
build_programs_that_are_run() {
  local product
  for product in trace-report transit event-emitter; do
    swift build -c release --static-swift-stdlib --product "$product"
  done
}

heading "Build"
say "building the store, its peers and trace-report for release; the first time takes some minutes"
options=(--swift "$(swift_version)")
store=traced
if [ "${1:-}" != --quick ] || [ -d Benchmarks/.build/untraced ]; then
  store=untraced
  options+=(--untraced-worker Benchmarks/.build/untraced/release/bench-worker)
fi
start build_store "$store" >&2
if [ "${1:-}" != --quick ] || [ -x .build/release/event-emitter ]; then
  # Both at once: either is often down to one compiler.
  start build_programs_that_are_run >&2
  options+=(--programs .build/release)
fi
finish
say "built after $((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))"

heading "Measure"
if [ "${1:-}" != --quick ]; then
  # From 14 minutes on three rounds have to do, so that all is done in 20 on a slow machine too.
  options+=(--minutes "$((SECONDS < 780 ? 14 - SECONDS / 60 : 1))")
fi
start Benchmarks/.build/release/store-bench "${options[@]}" "$@"
finish
