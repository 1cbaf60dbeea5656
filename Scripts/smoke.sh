#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs each command once on a small store, and stops at the first that fails.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

build_programs debug
folder=.build/smoke
rm -rf "$folder"
mkdir -p "$folder/feed"
printf '%s\n' stop_id,stop_name,stop_lat,stop_lon 1,Here,52.499249,13.418167 >"$folder/feed/stops.txt"
printf '%s\n' stop_id,arrival_time,departure_time 1,08:35:00,08:36:00 >"$folder/feed/stop_times.txt"

heading "transit"
make_small_store "$folder/small.sqlite"
"$transit" import --gtfs "$folder/feed" --store "$folder/feed.sqlite"
for version in before after; do
  for store in small feed; do
    "$transit" search --geo --departures --at 08:30 --text h "--$version" --store "$folder/$store.sqlite"
  done
done

"$transit" search --text gorli --form begins --form normalized --form terms --form contains \
  --store "$folder/small.sqlite"

"$transit" all --batch-size 50 --store "$folder/small.sqlite"

swift build --product photos >&2
heading "photos"
photos=${transit%/*}/photos
"$photos" generate --photos 20 --pixels 16 --folder "$folder"
for version in 1 2 3; do
  "$photos" list --version "$version" --click 7 --scroll --after --folder "$folder"
  "$photos" search rom --version "$version" --before --folder "$folder"
done

heading "records"
"$records" generate --force --store "$folder/records.sqlite"
for version in before after; do
  "$records" list "--$version" --repeat 5 --store "$folder/records.sqlite"
done

swift build --product pitfalls >&2
heading "pitfalls"
for form in before after; do
  "${transit%/*}/pitfalls" "$form" --store "$folder/pitfalls.sqlite"
done

swift build --product tour >&2
heading "tour"
"${transit%/*}/tour"

heading "trace-report"
record_searches "$folder/after" after "$folder/small.sqlite"
"$trace_report" summary "$input"
"$trace_report" plans "$input" --database "$folder/small.sqlite"
"$trace_report" baseline "$input" -o "$folder/baseline.json"
"$trace_report" gate "$input" --baseline "$folder/baseline.json"
say "smoke: every command ran"
