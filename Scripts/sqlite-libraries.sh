#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Unpacks SQLite's libraries of Debian 11, 12 and 13 into .build/sqlite, and builds Debian 12's source with STAT4: nothing is
# installed. Tests of replays and capsules use them where they are.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

out=$PWD/.build/sqlite
[ -f "$out/stat4/libsqlite3.so.0" ] && [ -f "$out/trixie/libsqlite3.so.0" ] && exit
key=/usr/share/keyrings/debian-archive-keyring.gpg
for program in apt-get dpkg-deb dpkg-source tclsh gcc make; do
  command -v $program >/dev/null || fail "no $program here: tests with other versions of SQLite are skipped"
done
[ -f $key ] || fail "no $key here: tests with other versions of SQLite are skipped"

work=$out/work
mkdir -p "$work"/{lists/partial,cache/archives/partial}
cd "$work"
for suite in bullseye bookworm trixie; do
  echo "deb [signed-by=$key] http://deb.debian.org/debian $suite main"
done >sources.list
echo "deb-src [signed-by=$key] http://deb.debian.org/debian bookworm main" >>sources.list
: >status
# Lists and caches of its own: the system's are left as they are.
apt=(apt-get -q -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
  -o "Dir::Cache=$work/cache" -o "Dir::State::status=$work/status" -o APT::Sandbox::User=root)
say "loading SQLite's packages of Debian 11, 12 and 13"
"${apt[@]}" update >/dev/null
for suite in bullseye bookworm trixie; do
  rm -f ./*.deb
  "${apt[@]}" download "libsqlite3-0/$suite" >/dev/null
  dpkg-deb -x ./*.deb "unpacked-$suite"
  mkdir -p "$out/$suite"
  cp "$(find "unpacked-$suite" -name 'libsqlite3.so.0.*' -type f)" "$out/$suite/libsqlite3.so.0"
done

say "building Debian 12's SQLite with STAT4"
"${apt[@]}" source --download-only sqlite3 >/dev/null
rm -rf source
dpkg-source --no-check -x ./*.dsc source >/dev/null
cd source
./configure >/dev/null
make sqlite3.c >/dev/null
mkdir -p "$out/stat4"
gcc -O1 -fPIC -shared -o "$out/stat4/libsqlite3.so.0" -DSQLITE_ENABLE_STAT4 -DSQLITE_ENABLE_DBSTAT_VTAB \
  -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE \
  -DSQLITE_SOUNDEX -DSQLITE_ENABLE_UNLOCK_NOTIFY -DSQLITE_ENABLE_UPDATE_DELETE_LIMIT -DSQLITE_ENABLE_PREUPDATE_HOOK \
  -DSQLITE_ENABLE_SESSION -DSQLITE_ENABLE_STMTVTAB sqlite3.c -lm -lpthread -ldl
rm -rf "$work"
