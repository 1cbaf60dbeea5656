#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds everything, and runs all tests; with OPTIMIZED=1 on optimized programs, which takes less time.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

Scripts/setup.sh --tests
Scripts/sqlite-libraries.sh || say "tests with other versions of SQLite are skipped"
heading "The probe"
Scripts/probe.sh
heading "Build"
swift build --build-tests
if [ -n "${OPTIMIZED:-}" ]; then
  export TEST_PROGRAMS=$PWD/.build/test-programs
  mkdir -p "$TEST_PROGRAMS"
  for product in trace-report event-emitter; do
    swift build -c release --product "$product"
    cp ".build/release/$product" "$TEST_PROGRAMS"
  done
  ln -sf ../debug/store-report "$TEST_PROGRAMS"
fi
heading "Tests"
# Failures are repeated at the end: some 4,000 lines of passed tests stand around them.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# With all at once the process has 3,000 open files, and Foundation's Process.run(), which lists them, reads
# behind the end of what the kernel returned for 1,365.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-8}
# Apart: a test that ends its process starts a thread of Swift Testing's, which takes a tenth of all time while
# the programs of other tests end.
exits='trapsOn|doesNotTrapOn|mustNotBeSetItself|hasNoObjectsOfAnAbstractEntity'
{
  swift test --skip-build --filter "$exits" &&
    swift test --skip-build --skip "$exits"
} 2>&1 | tee "$log" || {
  heading "What failed"
  grep -A 8 -E '^✘ .* recorded an issue|^✘ .* failed' "$log" | grep -vE '^(✔|◇|--)' || true
  exit 1
}
