#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the pytest plugin with pytest's own pytester, the steps of action.yml, or the gate on suites that change:
# Scripts/test-pytest.sh [short|action|matrix|matrix-short]
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
matrix*)
  packages+=(pytest-django django sqlalchemy)
  options=(Tests/GateTests -p no:django)
  [ "$1" = matrix ] || options+=(--short)
  ;;
*) packages+=(pytest-django django) ;;
esac
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
say "installing ${packages[*]} into $venv"
"$venv/bin/pip" install --quiet "${packages[@]}" -e Integrations/pytest

if [ "${1:-}" = matrix ]; then
  export STORESCOPE_OLDER_ORMS=$PWD/.build/older-orms
  "$venv/bin/pip" install --quiet --no-deps --upgrade --target "$STORESCOPE_OLDER_ORMS" "django<5" "sqlalchemy<2"
fi

if [ -z "${STORESCOPE_TOOL:-}" ]; then
  swift build --product trace-report >&2
  STORESCOPE_TOOL=$(swift build --show-bin-path)/trace-report
fi
export STORESCOPE_TOOL STORESCOPE_PROBE=$PWD/.build/probe/libstorescope-probe.so
# The plugin is tested in runs of its own: this process does not need it.
"$venv/bin/python" -m pytest -q -n 2 -p no:cacheprovider -p no:storescope -p no:asyncio "${options[@]}"
if [ -z "${1:-}" ]; then "$venv/bin/python" Integrations/pytest/tests/speed.py; fi
