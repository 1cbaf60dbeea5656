#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds words that do not belong in technical English, and names that should start with max or min.
# Prints each place with its line; exits with 1 if there is one. make lint runs it.
set -euo pipefail
cd "$(dirname "$0")/.."

# Verbs for code that returns, reports, checks or stores; archaic words; idioms.
words='told|tell|tells|telling|ask|asks|asked|asking|say|says|said|saying|give|gives|giving|gave'
words+='|know|knows|hear|hears|heard|speak|speaks|spoke|forget|forgets|forgot|forgotten'
words+='|settle|settles|settled|settling|mend|mends|mended|mending|hand over|hands over|handed'
words+='|nobody|somebody|whoever|anew|kin|dear|dearer|dearest|thereof|whence|wherein|upon|lest'
words+='|let go|lets go|letting go|worked off|of no|of its like|or else|else neither'
words+='|held against|hold against|holds against|for ever|in vain|heed|heeds|heeded|besides|altogether'
words+='|beyond doubt|let be|vouch|vouches|left alone|anyone looks|as one begins'
names='(most|fewest|least)[A-Z][A-Za-z]*|(tell|forget|give)[A-Z][A-Za-z]*|[a-z]+(Anew|Nobody|Told)'

# Not prose: the name of a logging function, a query, and names of Swift and of the report's format.
allowed='^Scripts/.*\b(say|ask)\b|\b(gave up|gave_up|givenName|leastNonzeroMagnitude)\b'
allowed+='|\b(mostMissesPerFetch|mostOfOneValue|mostRecent|whereIn)\b'

places=(
  Sources Examples Documentation/*.md README.md CHANGELOG.md CONTRIBUTING.md Makefile
  Package.swift Scripts Integrations dashboards traces/README.md action.yml .github
)
found=$(
  {
    git grep -nwiIE "$words" -- "${places[@]}" ':!Scripts/words.sh' ':!*.sql' ':!*.json' || true
    git grep -nwIE "$names" -- Sources Examples Benchmarks Tests || true
  } | grep -vE "$allowed" || true
)
[ -z "$found" ] || {
  printf '%s\n' "$found"
  printf '%s\n' "write these in plain technical English: CONTRIBUTING.md, Language" >&2
  exit 1
}
