#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the pytest plugin with pytest's own pytester: Scripts/test-pytest.sh [short]
#   STORESCOPE_TOOL   another trace-report than the debug build, whose reports are slow
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

venv=.build/pytest-venv
packages=(pytest pytest-xdist pytest-asyncio)
options=(-m "not long")
if [ "${1:-}" != short ]; then
  packages+=(pytest-django django)
  options=()
fi
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
say "installing ${packages[*]} into $venv"
"$venv/bin/pip" install --quiet "${packages[@]}" -e Integrations/pytest

if [ -z "${STORESCOPE_TOOL:-}" ]; then
  swift build --product trace-report >&2
  STORESCOPE_TOOL=$(swift build --show-bin-path)/trace-report
fi
export STORESCOPE_TOOL STORESCOPE_PROBE=$PWD/.build/probe/libstorescope-probe.so
# The plugin is tested in runs of its own: this process does not need it.
"$venv/bin/python" -m pytest -q -n 2 -p no:cacheprovider -p no:storescope -c Integrations/pytest/pyproject.toml \
  "${options[@]}" Integrations/pytest/tests
if [ "${1:-}" != short ]; then "$venv/bin/python" Integrations/pytest/tests/speed.py; fi
