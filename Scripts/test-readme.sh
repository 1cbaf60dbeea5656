#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Follows "The Swift store in four steps" of README.md word for word in a new package: writes the files
# that it shows, and runs its commands. Only the URL of the package is replaced, by a path to this checkout.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh
checkout=$PWD

# LTTng is required: without it the commands of step 2 fail, which is the result.
swift build --product trace-report >&2
PATH=$(swift build --show-bin-path):$PATH

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$checkout" "$folder/storescope"
mkdir "$folder/stops"
cd "$folder/stops"

# Writes each swift block to the file that the text before it names, and all sh blocks to ../steps.sh.
awk -v steps=../steps.sh '
  /^## / { inside = ($0 == "## The Swift store in four steps") }
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
  END { if (blocks != 2 || commands != 3) { print "README: " blocks " files, " commands " lists of commands"; exit 1 } }
' "$checkout/README.md"

grep -q '\.package(url: "[^"]*/storescope.git", from: "' Package.swift || fail "README: no URL in Package.swift"
version=$(sed -n 's/.*\/storescope.git", from: "\([^"]*\)".*/\1/p' Package.swift)
[ "$version" = "$("$checkout"/Scripts/version.sh)" ] || fail "README: from: \"$version\" is not the version"
sed -i 's|\.package(url: "[^"]*", from: "[^"]*")|.package(path: "../storescope")|' Package.swift

say "following README.md in $PWD"
bash -euxo pipefail ../steps.sh
for file in stops.sqlite log.txt report.html baseline.json; do
  [ -s "$file" ] || fail "README: the steps wrote no $file"
done
say "README: every step ran"
