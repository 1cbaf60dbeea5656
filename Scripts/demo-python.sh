#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records a small Python web application over a transit store, before and after. All files go to demo/.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

Scripts/setup.sh --python
build_demo_programs
Scripts/probe.sh
export STORESCOPE_PROBE=.build/probe/libstorescope-probe.so

mkdir -p demo
store=demo/web.sqlite
[ -f "$store" ] || "$transit" generate --stops 12800 --stop-times 300000 --seed 1 --store "$store"
if [ ! -x demo/venv/bin/python ]; then
  say "installing Flask and SQLAlchemy from PyPI into demo/venv"
  python3 -m venv demo/venv
  demo/venv/bin/pip install --quiet --disable-pip-version-check flask sqlalchemy
fi

for version in before after; do
  heading "The application, $version: trace-report record -o demo/web-$version -- python app.py $version"
  rm -rf "demo/web-$version"
  "$trace_report" record -o "demo/web-$version" -- \
    demo/venv/bin/python Examples/python-web/app.py "$store" "$version" >"demo/web-$version.txt"
  cat "demo/web-$version.txt"
  heading "The plans, $version: trace-report plans demo/web-$version --database $store"
  # A full scan, or a statement that cannot be explained, is an answer here.
  "$trace_report" plans "demo/web-$version" --database "$store" || [ $? -le 3 ]
done
"$trace_report" html demo/web-before --database "$store" -o demo/web-before.html

heading "What changed: trace-report diff demo/web-before demo/web-after"
"$trace_report" diff demo/web-before demo/web-after
