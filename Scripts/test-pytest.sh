#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the pytest plugin with pytest's own pytester, or the steps of action.yml: Scripts/test-pytest.sh [short|action]
#   STORESCOPE_TOOL   another trace-report than the debug build, whose reports are slow
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

venv=.build/pytest-venv
packages=(pytest pytest-xdist pytest-asyncio pyyaml)
options=(-c Integrations/pytest/pyproject.toml Integrations/pytest/tests)
case ${1:-} in
short) options+=(-m "not long") ;;
action) options=(Tests/ActionTests) ;;
*) packages+=(pytest-django django) ;;
esac
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
say "installing ${packages[*]} into $venv"
"$venv/bin/pip" install --quiet "${packages[@]}" -e Integrations/pytest

if [ -z "${STORESCOPE_TOOL:-}" ]; then
  swift build --product trace-report >&2
  STORESCOPE_TOOL=$(swift build --show-bin-path)/trace-report
fi
export STORESCOPE_TOOL STORESCOPE_PROBE=$PWD/.build/probe/libstorescope-probe.so
# The plugin is tested in runs of its own: this process does not need it.
"$venv/bin/python" -m pytest -q -n 2 -p no:cacheprovider -p no:storescope -p no:asyncio "${options[@]}"
if [ -z "${1:-}" ]; then "$venv/bin/python" Integrations/pytest/tests/speed.py; fi
