#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds everything, and runs all tests.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

Scripts/setup.sh --tests
heading "The probe"
Scripts/probe.sh
heading "Build"
swift build --build-tests
heading "Tests"
swift test --skip-build
