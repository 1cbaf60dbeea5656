#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs our own workload on a small store and holds it against traces/baseline.json.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

build_programs debug
folder=.build/gate
mkdir -p "$folder"
make_small_store "$folder/transit.sqlite"
record_searches "$folder/after" after "$folder/transit.sqlite"
"$trace_report" gate "$input" --baseline traces/baseline.json --tag seed=1 \
  --database "$folder/transit.sqlite"
