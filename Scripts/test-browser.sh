#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Drives the HTML reports in a headless Chromium; BROWSER may name another program of its kind.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

find_browser() {
  local name
  for name in ${BROWSER:+"$BROWSER"} chromium chromium-browser google-chrome; do
    command -v "$name" && return
  done
  return 1
}

install_chromium() {
  command -v apt-get >/dev/null || fail \
    "no browser here; install Chromium, and run this again with BROWSER=PROGRAM."
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "no sudo here; as root, run: apt-get install chromium"
    as_root=(sudo)
  fi
  say "installing chromium from Debian's packages"
  "${as_root[@]}" apt-get update -q >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends chromium >&2 ||
    fail "apt-get could not install chromium; its reason is above."
}

Scripts/setup.sh --tests
find_browser >/dev/null || install_chromium
BROWSER=$(find_browser)
export BROWSER
heading "Build"
swift build --build-tests
heading "Tests in $BROWSER"
swift test --skip-build --filter BrowserTests
