#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts trace-report into the PATH of a job's later steps, for action.yml: from the package in
# STORESCOPE_PACKAGE, as it is on the machine already, or from this checkout.
set -euo pipefail

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

case ${STORESCOPE_PACKAGE:=} in
'')
  if command -v trace-report; then exit 0; fi
  cd "$(dirname "$0")/.."
  Scripts/setup.sh
  PREFIX=$RUNNER_TEMP/storescope Scripts/install.sh
  bin=$RUNNER_TEMP/storescope/bin
  ;;
*.deb)
  package=$(realpath "$STORESCOPE_PACKAGE")
  as_root apt-get update -q
  as_root apt-get install -y -q "$package"
  bin=/usr/bin
  ;;
*)
  python3 -m venv "$RUNNER_TEMP/storescope"
  "$RUNNER_TEMP/storescope/bin/pip" install --quiet "$STORESCOPE_PACKAGE"
  bin=$RUNNER_TEMP/storescope/bin
  ;;
esac
"$bin/trace-report" --version
# A folder of its own: that of a virtual environment has a python as well.
mkdir -p "$RUNNER_TEMP/storescope-bin"
ln -sf "$bin/trace-report" "$RUNNER_TEMP/storescope-bin/"
echo "$RUNNER_TEMP/storescope-bin" >>"$GITHUB_PATH"
