# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced in an empty folder before the commands of a document: makes the files that they name, in DOCUMENT's state.
# run.py sets BIN, TOP and FILES.
set -m
mkdir bin
for program in transit records photos pitfalls; do ln -s "$BIN/$program" bin/; done
for name in trace-report storescope; do ln -s "${FILES%/*}/trace-report.sh" "bin/$name"; done
PATH=$PWD/bin:$TOP/.build/pytest-venv/bin:$PATH
export STORESCOPE_PROBE=$TOP/.build/probe/libstorescope-probe.so NO_COLOR=1
cp "$FILES"/*.py .
python3 app.py

# The targets exist; these commands build what is built.
make() { command make -C "$TOP" --dry-run "$@" >dry-run.txt; }

ended() { # STATUS EXPECTED
  [ "$1" = "$2" ] || {
    printf 'exit code %s; expected %s\n' "$1" "$2"
    finish
    return 1
  }
}

finish() {
  # shellcheck disable=SC2046 # one argument each
  [ -z "$(jobs -p)" ] || kill $(jobs -p)
  wait
}

start_server() {
  SECONDS_TO_SERVE=60 python3 server.py >server.txt &
  server=$!
  while [ ! -s server.txt ]; do sleep 0.05; done
}

make_store() { transit generate --stops 1280 --stop-times 30000 --seed 1 --store "$1" >store.txt; }

case $document in
Documentation/Agents.md)
  EDITOR='cp fixed.py'
  trace-report gate --update -- python3 app.py
  ;;
Documentation/AnyProgram.md)
  ln -s "$TOP/.build" .build
  start_server
  ;;
Documentation/CI.md)
  sed -n '/^```ini/,/^```/{/^```/d;s/shop.py/app.py/;p}' "$TOP/$document" >.storescope-exceptions
  trace-report gate --update -- pytest -q
  trace-report record -o pull-request -- pytest -q
  ;;
Documentation/Corruption.md)
  mkdir -p ../srv/copy
  sqlite3 app.db ".backup ../srv/copy/app.db"
  start_server
  rm app.db-wal
  alert() { cat; }
  ;;
Documentation/DebugLog.md) make_store transit.sqlite ;;
Documentation/FromTheDevice.md)
  sqlite3 Model.sqlite <"$FILES/Model.sql"
  mkdir -p Model.xcdatamodeld/Model.xcdatamodel .Model_SUPPORT
  cp "$FILES/Model.xml" Model.xcdatamodeld/Model.xcdatamodel/contents
  cp "$FILES/coredata.log" app.log
  touch Model.sqlite-wal
  copy=$(mktemp -d -p .)
  ;;
Documentation/Locks.md)
  cp locking.py app.py
  printf '%s\n' '#!/bin/sh' 'python3 app.py & python3 app.py; wait' >start-all-programs.sh
  chmod +x start-all-programs.sh
  ;;
Documentation/Logs.md)
  mkdir log
  cp "$FILES/rails.log" log/development.log
  cp logged.py app.py
  python3 app.py >app.log 2>&1
  ;;
Documentation/Replay.md)
  trace-report gate --update -- python3 app.py
  mkdir build debian11 debian12
  for folder in build debian12; do cp "$TOP/.build/sqlite/bookworm/libsqlite3.so.0" $folder/; done
  cp "$TOP/.build/sqlite/bullseye/libsqlite3.so.0" debian11/
  mv build/libsqlite3.so.0 build/libsqlite3.so
  cp app.db production.db
  echo "ALTER TABLE book ADD COLUMN price INTEGER; UPDATE book SET price = id;" >0042_add_price.sql
  ;;
Documentation/SwiftStore.md)
  (mkdir feed && cd feed && cp "$FILES"/feed/*.txt . && zip -q ../feed.zip ./*.txt)
  ;;
esac
