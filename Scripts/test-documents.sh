#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the commands of the documents; Tests/DocumentTests/run.py describes how a block states that.
#   STORESCOPE_TOOL   another trace-report than the debug build, whose reports are slow
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

Scripts/sqlite-libraries.sh
for product in trace-report transit records photos pitfalls; do swift build --product "$product" >&2; done
venv=.build/pytest-venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
say "installing pytest and SQLAlchemy into $venv"
"$venv/bin/pip" install --quiet pytest sqlalchemy -e Integrations/pytest
Tests/DocumentTests/run.py "$(swift build --show-bin-path)" "$@"
