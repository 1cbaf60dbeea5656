# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts share; sourced from the checkout's top folder.

heading() { printf '\n=== %s ===\n' "$*"; }
say() { printf '%s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

# Builds the programs and sets `transit`, `records` and `trace_report` to their paths.
build_programs() { # debug|release
  local configuration=$1
  # swift build draws its own progress on a terminal; in a pipe this line announces it.
  say "building transit, records and trace-report ($configuration); the first time takes some minutes"
  swift build -c "$configuration" --product transit >&2
  swift build -c "$configuration" --product records >&2
  swift build -c "$configuration" --product trace-report >&2
  set_programs "$configuration"
}

# Builds what the demos run: both programs in one build, so that both processors have work, without
# debugging information and with reports that are not optimized (see Package.swift). In a folder of
# its own: this trace-report is for short traces only.
build_demo_programs() {
  say "building transit and trace-report (release); the first time takes some minutes"
  STORESCOPE_DEMO=1 swift build -c release --scratch-path .build/demo -debug-info-format none \
    --target demo >&2
  set_programs release --scratch-path .build/demo
}

# Sets the paths of programs that are built.
set_programs() { # debug|release [OPTION...]
  local bin
  bin=$(swift build -c "$@" --show-bin-path)
  transit=$bin/transit
  # shellcheck disable=SC2034 # for who called
  records=$bin/records
  trace_report=$bin/trace-report
}

# `2:07`, of seconds.
minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# Removes the objects of the programs of Benchmarks, in which code of the store is inlined. They are not
# always compiled again when a class of the store has other fields (Swift 6.3.1), and then read the
# wrong ones: a tracepoint that was off took 11 instructions in place of 38.
remove_stale_objects() {
  # Not the folder: SwiftPM writes the map of outputs in it only when it plans the build.
  rm -f Benchmarks/.build/{,untraced/}*/release/{bench_worker,store_bench,bench_counts}.build/*.o
}

# Builds a program of Benchmarks and bench-worker for release, and sets `benchmarks` to their folder.
build_benchmarks() { # PRODUCT
  say "building $1 and bench-worker; the first time takes some minutes"
  remove_stale_objects
  swift build -c release --package-path Benchmarks --product bench-worker >&2
  swift build -c release --package-path Benchmarks --product "$1" >&2
  # shellcheck disable=SC2034 # for who called
  benchmarks=$(swift build -c release --package-path Benchmarks --show-bin-path)
}

# `Swift 6.3.1`.
swift_version() { swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/Swift \1/p'; }

# Runs a command under LTTng with the debug log in NAME.log and what it prints in NAME.txt, and sets
# `input` to what to report from: the trace NAME, or the log where LTTng cannot run here.
record() { # NAME COMMAND...
  local name=$1
  shift
  rm -rf "$name" "$name.log"
  export STORE_SQL_DEBUG=1 STORE_SQL_DEBUG_FILE=$name.log
  # shellcheck disable=SC2016 # for the inner shell, which becomes the traced command
  # The store emits its own events.
  if "$trace_report" record --no-probe -o "$name" -- sh -c 'exec "$@" >"$0"' "$name.txt" "$@" >/dev/null; then
    input=$name
  else
    say "LTTng recorded no trace (the reason is above); reporting from the debug log instead"
    rm -rf "$name" "$name.log"
    "$@" >"$name.txt"
    # shellcheck disable=SC2034 # for who called
    input=$name.log
  fi
  unset STORE_SQL_DEBUG STORE_SQL_DEBUG_FILE
}

# Makes the small store of the gate and of traces/.
make_small_store() { # FILE
  "$transit" generate --stops 1280 --stop-times 60000 --seed 1 --force --store "$1"
}

# Records the searches that the gate and traces/ are about.
record_searches() { # NAME before|after STORE
  record "$1" "$transit" search --geo --departures --at 08:30 --text "u gorli" "--$2" --repeat 5 \
    --store "$3"
}
