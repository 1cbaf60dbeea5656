#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the sample traces and the baseline in traces/ again; traces/README.md describes them.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

build_programs debug
# A trace and a log name the store's whole path: not a developer's own path.
folder=/tmp/storescope
mkdir "$folder" || fail "$folder is in the way; remove it and run this again"
trap 'rm -rf "$folder"' EXIT
make_small_store "$folder/transit.sqlite"
# Most traces hold events of several processors; one as short as these would keep to one.
(while [ -d "$folder" ]; do
  for processor in 0 1; do
    taskset -acp "$processor" "$(pgrep -n -x transit)" || true
  done
done) >/dev/null 2>&1 &
for version in before after; do
  record_searches "$folder/$version" "$version" "$folder/transit.sqlite"
  [ "$input" = "$folder/$version" ] || fail "no trace without LTTng; traces/ is as it was"
  rm -rf "traces/$version" "traces/$version.log"
  cp -r "$folder/$version" "traces/$version"
  cp "$folder/$version.log" "traces/$version.log"
done
"$trace_report" baseline "$folder/after" -o traces/baseline.json --tag seed=1 \
  --database "$folder/transit.sqlite"
