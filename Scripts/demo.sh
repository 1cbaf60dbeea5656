#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a transit store and shows what its searches cost, before and after. All files go to demo/.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

Scripts/setup.sh
build_programs release

mkdir -p demo
store=demo/transit.sqlite
if [ -f "$store" ]; then
  say "$store is there already and is used again; delete it to make it anew"
else
  "$transit" generate --stops 12800 --stop-times 3000000 --seed 1 --store "$store"
fi

search_and_report() { # before|after
  local version=$1
  heading "The searches, $version"
  record "demo/$version" "$transit" search --geo --departures --at 08:30 --text "u gorli" \
    "--$version" --repeat 20 --store "$store" 
  heading "What they asked of SQLite, $version: trace-report summary $input"
  "$trace_report" summary "$input" | tee "demo/summary-$version.txt"
  heading "The plans, $version: trace-report plans $input --database $store"
  "$trace_report" plans "$input" --database "$store" | tee "demo/plans-$version.txt"
}

search_and_report before
before=$input
search_and_report after
after=$input

heading "Does the order of the terms matter? trace-report orderings"
"$trace_report" orderings --database "$store" --sql "$(Scripts/departures.sh)" |
  tee demo/orderings.txt

heading "What got faster: trace-report diff $before $after"
"$trace_report" diff "$before" "$after" | tee demo/diff.txt

heading "Files"
printf '%s\n' "$store"
for file in "$before" "$after" demo/*.log demo/*.txt; do [ -e "$file" ] && printf '%s\n' "$file"; done | sort -u
