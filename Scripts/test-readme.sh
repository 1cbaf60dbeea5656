#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Follows README.md: runs what its first screen shows, with a small app.py. Then follows "In four steps" of
# Documentation/SwiftStore.md word for word in a new package: writes the files that it shows, and runs its commands.
# Only the URL of the package is replaced, by a path to this checkout. make test-wheel tests the installation.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh
checkout=$PWD

swift build --product trace-report >&2
Scripts/probe.sh
bin=$(swift build --show-bin-path)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/app" "$folder/stops"
ln -s "$bin/trace-report" "$folder/bin/trace-report"
ln -s "$bin/trace-report" "$folder/bin/storescope"
ln -s "$checkout" "$folder/storescope"
PATH=$folder/bin:$PATH

cd "$folder/app"
cat >app.py <<'APP'
import sqlite3

db = sqlite3.connect("app.db")
db.executescript("CREATE TABLE book(id INTEGER PRIMARY KEY); CREATE TABLE loan(book INTEGER, reader TEXT);")
db.executemany("INSERT INTO book VALUES (?)", [(i,) for i in range(300)])
db.executemany("INSERT INTO loan VALUES (?, ?)", [(i % 300, "reader") for i in range(3000)])
db.commit()
for book in db.execute("SELECT id FROM book").fetchall():
    db.execute("SELECT reader FROM loan WHERE book = ?", book).fetchall()
APP
awk '/^## / { exit } /^```sh/ { inside = 1; next } /^```/ { inside = 0 } inside && /^storescope / { print; lines += 1 }
  END { if (lines != 2) { print "README: " lines " commands of storescope"; exit 1 } }' "$checkout/README.md" >steps.sh
say "following README.md in $PWD"
bash -euxo pipefail steps.sh | tee screen.txt
grep -q AvoidQueryInLoop screen.txt || fail "README: no finding"
awk '/^## After the first recording/ { section = 1 } section && /^```/ { inside = !inside; next } section && inside && /^trace-report (plans|html)/' \
  "$checkout/README.md" >steps.sh
# A full scan is an answer here.
sh -ux steps.sh
[ -s report.html ] || fail "README: html wrote no page"
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
say "README: every step ran"
