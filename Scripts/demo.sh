#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a transit store and shows what its searches cost, before and after. All files go to demo/.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

Scripts/setup.sh
build_demo_programs
built=$SECONDS
say "built after $(minutes "$built")"

mkdir -p demo
store=demo/transit.sqlite
if [ -f "$store" ]; then
  say "$store is there already and is used again; delete it to make a new one"
else
  "$transit" generate --stops 12800 --stop-times 3000000 --seed 1 --store "$store"
fi

# The departures search as it was written first, the subquery before the box, with its values.
departures="SELECT t0.Z_PK, t0.ZNAME FROM ZSTOP t0 WHERE \
(SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE t0.Z_PK = t1.ZSTOP \
AND 30600 <= t1.ZDEPARTURETIME AND t1.ZDEPARTURETIME <= 31800) <> 0 \
AND 13.4168670 <= t0.ZLONGITUDE AND t0.ZLONGITUDE <= 13.4194670 \
AND 52.4984576 <= t0.ZLATITUDE AND t0.ZLATITUDE <= 52.5000404"

# Where the data allow no verdict the report states that, with exit code 3: a valid answer here.
orderings() { # FILE
  "$trace_report" orderings --database "$store" --sql "$departures" | tee "$1" ||
    [ "${PIPESTATUS[0]}" -eq 3 ]
}

# What a search printed: its headline and what it cost, without the rows.
show_costs() { grep -E '^([0-9]+ stops? |before: |after: )' "$1"; }

search_and_report() { # before|after
  local version=$1
  heading "The searches, $version: transit search --geo --departures --text \"u gorli\" --$version"
  record "demo/$version" "$transit" search --geo --departures --at 08:30 --text "u gorli" \
    "--$version" --repeat 20 --store "$store"
  show_costs "demo/$version.txt"
  heading "Their SQL, $version: trace-report summary $input"
  "$trace_report" summary "$input" --exceptions Scripts/demo.exceptions | tee "demo/summary-$version.txt"
  heading "The plans, $version: trace-report plans $input --database $store"
  "$trace_report" plans "$input" --database "$store" | tee "demo/plans-$version.txt"
}

search_and_report before
before=$input

# The subquery first and no index: the order in which the search before was written. Measured now,
# since the search after makes the index.
heading "Does the order of the terms matter? trace-report orderings, before"
orderings demo/orderings-before.txt
search_and_report after
after=$input
heading "And with the index? trace-report orderings, after"
orderings demo/orderings-after.txt

heading "What got faster: trace-report diff $before $after"
"$trace_report" diff "$before" "$after" --exceptions Scripts/demo.exceptions | tee demo/diff.txt

heading "Files"
printf '%s\n' "$store" demo/* | sort -u

heading "The demo took $(minutes "$SECONDS"), of which installing and building $(minutes "$built")"
