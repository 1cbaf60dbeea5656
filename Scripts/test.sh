#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds everything, and runs all tests.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

Scripts/setup.sh --tests
Scripts/sqlite-libraries.sh || say "tests with other versions of SQLite are skipped"
heading "The probe"
Scripts/probe.sh
heading "Build"
swift build --build-tests
heading "Tests"
# Failures are repeated at the end: some 4,000 lines of passed tests stand around them.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift test --skip-build 2>&1 | tee "$log" || {
  heading "What failed"
  grep -A 8 -E '^✘ .* recorded an issue|^✘ .* failed' "$log" | grep -vE '^(✔|◇|--)' || true
  exit 1
}
