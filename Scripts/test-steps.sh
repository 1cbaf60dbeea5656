#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Follows "In four steps" of Documentation/SwiftStore.md word for word in a new package: writes the files that it shows,
# and runs its commands. Only the URL of the package is replaced, by a path to this checkout.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh
checkout=$PWD

swift build --product trace-report >&2
Scripts/probe.sh
bin=$(swift build --show-bin-path)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/stops"
ln -s "$bin/trace-report" "$folder/bin/trace-report"
ln -s "$checkout" "$folder/storescope"
PATH=$folder/bin:$PATH

cd "$folder/stops"

# Writes each swift block to the file that the text before it names, and all sh blocks to ../steps.sh.
awk -v steps=../steps.sh '
  /^## / { inside = ($0 == "## In four steps") }
  !inside { next }
  /^ *```/ {
    if (target != "") { close(target); target = "" }
    else if ($0 ~ /```swift/) { target = file; blocks += 1 }
    else if ($0 ~ /```sh/) { target = steps; commands += 1 }
    if (target != "" && target != steps) { folder = target; sub("[^/]*$", "", folder); system("mkdir -p ./" folder) }
    next
  }
  target != "" { sub(/^   /, ""); print >> target; next }
  match($0, /`[A-Za-z\/.]*\.swift`/) { file = substr($0, RSTART + 1, RLENGTH - 2) }
  END { if (blocks != 2 || commands != 3) { print "SwiftStore.md: " blocks " files, " commands " lists of commands"; exit 1 } }
' "$checkout/Documentation/SwiftStore.md"

grep -q '\.package(url: "[^"]*/storescope.git", from: "' Package.swift || fail "SwiftStore.md: no URL in Package.swift"
version=$(sed -n 's/.*\/storescope.git", from: "\([^"]*\)".*/\1/p' Package.swift)
[ "$version" = "$("$checkout"/Scripts/version.sh)" ] || fail "SwiftStore.md: from: \"$version\" is not the version"
sed -i 's|\.package(url: "[^"]*", from: "[^"]*")|.package(path: "../storescope")|' Package.swift

say "following SwiftStore.md in $PWD"
bash -euxo pipefail ../steps.sh
for file in stops.sqlite log.txt report.html baseline.json; do
  [ -s "$file" ] || fail "SwiftStore.md: the steps wrote no $file"
done
say "SwiftStore.md: every step ran"
