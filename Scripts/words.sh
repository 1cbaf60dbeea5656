#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds words that do not belong in technical English, and names that should start with max or min. Prints each
# place with its line. Then counts relative pronouns in comments. Exits with 1 if there is a place, or if a count
# exceeds its limit. make lint runs it. Scripts/words.sh --counts prints the counts only, of other phrases as well.
set -euo pipefail
cd "$(dirname "$0")/.."

comments() {
  git grep -hE '^[[:space:]]*(//|/\*|\*( |/|$))' -- "$1/*.swift" "$1/*.c" "$1/*.h" | sed 's/`[^`]*`//g'
}

# Occurrences of a pattern per 1,000 comment lines of the standard input.
rate() {
  awk -v pattern="(^|[^a-z])($1)([^a-z]|$)" '
    { text = tolower($0); while (match(text, pattern)) { count++; text = substr(text, RSTART + RLENGTH - 1) } }
    END { printf "%.1f\n", NR ? 1000 * count / NR : 0 }'
}

# "Values that are in no request" is a riddle, "sentinel values" is a noun: limits per 1,000 comment lines. GRDB and
# swift-nio have 0 to 7 of each.
limits=('what|7' 'those|whose|what it|15')
others=('holds?' 'begins?|begun|began' '(is|are|was|were) of' 'of (its|their) own' 'in place of')
too_many=0
for folder in Sources Tests; do
  text=$(comments "$folder")
  for limit in "${limits[@]}"; do
    found=$(rate "${limit%|*}" <<<"$text")
    [ "${1-}" != --counts ] || echo "$folder: $found of ${limit%|*} (limit ${limit##*|})"
    awk "BEGIN { exit !($found > ${limit##*|}) }" || continue
    echo "$folder: $found of ${limit%|*} per 1,000 comment lines; at most ${limit##*|}: name the noun" >&2
    too_many=1
  done
  [ "${1-}" = --counts ] || continue
  for phrase in "${others[@]}"; do echo "$folder: $(rate "$phrase" <<<"$text") of $phrase"; done
done
[ "${1-}" != --counts ] || exit 0

# Verbs for code that returns, reports, checks or stores; archaic words; idioms.
words='told|tell|tells|telling|ask|asks|asked|asking|say|says|said|saying|give|gives|giving|gave'
words+='|know|knows|hear|hears|heard|speak|speaks|spoke|forget|forgets|forgot|forgotten'
words+='|settle|settles|settled|settling|mend|mends|mended|mending|hand over|hands over|handed'
words+='|nobody|somebody|whoever|anew|kin|dear|dearer|dearest|thereof|whence|wherein|upon|lest'
words+='|let go|lets go|letting go|worked off|of no|of its like|or else|else neither'
words+='|held against|hold against|holds against|for ever|in vain|heed|heeds|heeded|besides|altogether'
words+='|beyond doubt|let be|vouch|vouches|left alone|anyone looks|as one begins'
names='(most|fewest|least)[A-Z][A-Za-z]*|(tell|forget|give)[A-Z][A-Za-z]*|[a-z]+(Anew|Nobody|Told)'

# A word with seven meanings: an index, a location, an address, an offset, a slot, a cursor or a state.
declarations='(let|var|func|case|struct|enum|class) ([a-z]+P|[pP])laces?([^a-z]|$)'

# Not prose: the name of a logging function, a query, and names of Swift and of the report's format.
allowed='^Scripts/.*\b(say|ask)\b|\b(gave up|gave_up|givenName|leastNonzeroMagnitude)\b'
allowed+='|public struct Place: Codable|\b(mostMissesPerFetch|mostOfOneValue|mostRecent|whereIn)\b'

places=(
  Sources Examples Documentation/*.md README.md CHANGELOG.md CONTRIBUTING.md Makefile
  Package.swift Scripts Integrations dashboards traces/README.md action.yml .github
)
found=$(
  {
    git grep -nwiIE "$words" -- "${places[@]}" ':!Scripts/words.sh' ':!*.sql' ':!*.json' || true
    # Tests: their comments; a test's texts are data.
    git grep -nwiIE "$words" -- 'Tests/*.swift' 'Tests/*.c' 'Tests/*.h' | grep -E '^[^:]*:[0-9]+: *(//|/\*|\*)' || true
    git grep -nwIE "$names" -- Sources Examples Benchmarks Tests || true
    git grep -nIE "$declarations" -- 'Sources/*.swift' || true
  } | grep -vE "$allowed" || true
)
[ -z "$found" ] || {
  printf '%s\n' "$found"
  printf '%s\n' "write these in plain technical English: CONTRIBUTING.md, Language" >&2
  exit 1
}
[ "$too_many" = 0 ]
