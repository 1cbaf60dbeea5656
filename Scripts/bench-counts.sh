#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Holds the counts of the hot paths against the committed ones: Scripts/bench-counts.sh [--update]
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

Scripts/setup.sh --counts
build_benchmarks bench-counts
# What reading takes is counted in the programs themselves.
for product in trace-report event-emitter; do swift build -c release --product "$product" >&2; done
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/storescope-counts.XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
# Debian's valgrind cannot read the compiler's debugging information.
strip -g -o "$TMPDIR/bench-worker" "$benchmarks/bench-worker"
programs=$TMPDIR/programs
mkdir "$programs"
for program in trace-report event-emitter; do
  strip -g -o "$programs/$program" ".build/release/$program"
done
status=0
"$benchmarks/bench-counts" "$TMPDIR/bench-worker" Benchmarks/thresholds.json \
  "$(swift_version)" "$programs" "$@" || status=$?
# The probe's part of the thresholds; its own programs are in C.
Scripts/probe.sh
Tests/ProbeTests/held.py Benchmarks/thresholds.json "$@" || status=$?
exit $status
