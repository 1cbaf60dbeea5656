#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds all that is measured, and measures it: Scripts/bench.sh [--quick] [options of store-bench]
#
# --quick builds the other programs only if they were built before: from a clean checkout it leaves
# out what they do, and says so in its report.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

Scripts/setup.sh --bench
heading "Build"
build_benchmarks store-bench
swift build -c release --package-path Benchmarks --product measure-program >&2
options=(--swift "$(swift_version)")
if [ "${1:-}" != --quick ] || [ -x .build/release/event-emitter ]; then
  build_programs release
  swift build -c release --product event-emitter >&2
  options+=(--programs "${trace_report%/*}")
fi
# The store with its tracepoints compiled out, for the tracing ladder.
untraced=(-c release --package-path Benchmarks --scratch-path Benchmarks/.build/untraced
  --disable-default-traits)
if [ "${1:-}" != --quick ] || [ -d Benchmarks/.build/untraced ]; then
  swift build "${untraced[@]}" --product bench-worker >&2
  options+=(--untraced-worker "$(swift build "${untraced[@]}" --show-bin-path)/bench-worker")
fi

# All that the run writes, gigabytes for a while; removed whatever ends it.
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/storescope-bench.XXXXXX")
export TMPDIR
running=
clean_up() {
  if [ -n "$running" ]; then kill -- "-$running" 2>/dev/null && wait || true; fi
  # A recorder that was ended may still be writing its trace.
  for _ in {1..50}; do
    rm -rf "$TMPDIR" 2>/dev/null && break
    sleep 0.2
  done
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

heading "Measure"
# With a process group of its own, all of which can be ended; in the background, or the shell would
# hear of a signal only when it is done.
set -m
"$benchmarks/store-bench" "${options[@]}" "$@" &
running=$!
set +m
status=0
wait "$running" || status=$?
running=
exit "$status"
