# SPDX-License-Identifier: Apache-2.0
"""What the probe counts of reads, writes and syncs, beside what strace counts, and the parts of commits."""

import os
import re
import sys

from harness import *

PROGRAM = """
import sqlite3, sys, time
path, mode = sys.argv[1], sys.argv[2]
db = sqlite3.connect(path, isolation_level=None)
db.execute("PRAGMA journal_mode = " + mode)
db.execute("PRAGMA wal_autocheckpoint = 100")
db.execute("PRAGMA cache_size = 20")
db.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
took = 0
for turn in range(20):
    start = time.perf_counter_ns()
    db.execute("BEGIN IMMEDIATE")
    for number in range(40):
        db.execute("INSERT INTO t(b) VALUES(?)", ("x" * 1500,))
    time.sleep(0.002)
    db.execute("COMMIT")
    took += time.perf_counter_ns() - start
other = sqlite3.connect(path, isolation_level=None)
for number in range(5):
    start = time.perf_counter_ns()
    other.execute("UPDATE t SET b = 7 WHERE a = ?", (number + 1,))
    took += time.perf_counter_ns() - start
rows = db.execute("SELECT count(*), sum(length(b)) FROM t").fetchall()
db.execute("BEGIN"); db.execute("DELETE FROM t"); db.execute("ROLLBACK")
db.executescript("DELETE FROM t WHERE a < 100; VACUUM;")
other.close()
db.close()
print(took, rows)
"""


def _traced(path):
    """The calls of each kind for the files of a database, and for their folder."""
    counts = {"reads": 0, "writes": 0, "syncs": 0}
    kinds = {"pread64": "reads", "pwrite64": "writes", "fsync": "syncs", "fdatasync": "syncs"}
    for line in open(path):
        match = re.search(r"\b(pread64|pwrite64|fsync|fdatasync)\(\d+<([^>]*)>", line)
        if match and re.search(r"/io\.db(-wal|-journal)?$|/io$|etilqs", match[2]):
            counts[kinds[match[1]]] += 1
    return counts


def _recorded(mode, strace):
    folder = os.path.join(scratch, "io-" + mode + ("-traced" if strace else ""), "io")
    os.makedirs(folder)
    trace = os.path.join(scratch, "strace")
    command = [sys.executable, "-c", PROGRAM, os.path.join(folder, "io.db"), mode]
    if strace:
        command = ["strace", "-f", "-y", "-o", trace, "-e", "trace=pread64,pwrite64,fsync,fdatasync"] + command
    process, lines = run(command, level=1, variables={"STORE_TRACE_IO": "1"})
    expect(process.returncode == 0, process.stderr[-500:])
    return int(process.stdout.split()[0]), lines, trace


def reads_writes_and_syncs_are_those_of_strace():
    installed("strace")
    for mode in ("wal", "delete", "truncate", "persist"):
        _, lines, trace = _recorded(mode, strace=True)
        counts = {kind: total(events(lines, "statement_io"), kind) for kind in ("reads", "writes", "syncs")}
        expect(counts == _traced(trace), f"{mode}: {counts}, strace {_traced(trace)}")
        # A count of nothing proves nothing.
        expect(min(counts.values()) > 20, f"{mode}: {counts}")


def the_parts_of_commits_add_up():
    parts = ("wait_ns", "body_ns", "log_ns", "file_ns", "sync_ns", "checkpoint_ns", "commit_ns")
    for mode in ("wal", "delete"):
        took, lines, _ = _recorded(mode, strace=False)
        commits = [c for c in events(lines, "commit_io") if int(c.get("changes", 0)) in (1, 40)]
        expect(len(commits) == 25, f"{mode}: {len(commits)} commits")
        for commit in commits:
            whole, sum_of_parts = int(commit["total_ns"]), sum(int(commit.get(part, 0)) for part in parts)
            expect(abs(whole - sum_of_parts) <= whole * 0.05, f"{mode}: {sum_of_parts} of {whole} ns: {commit}")
        # What the program measured itself contains the time of its own calls as well.
        whole = total(commits, "total_ns")
        expect(took * 0.95 <= whole <= took, f"{mode}: {whole} ns of the {took} ns that the program measured")
        checkpoints = total(commits, "checkpoints")
        expect(checkpoints > 3 if mode == "wal" else checkpoints == 0, f"{mode}: {checkpoints} checkpoints")


def nothing_is_counted_unless_wanted():
    _, lines = run([sys.executable, "-c", PROGRAM, os.path.join(scratch, "off.db"), "wal"], level=1)
    expect(not events(lines, "statement_io") and not events(lines, "commit_io"), "counted without STORE_TRACE_IO")


def the_files_answer_as_without_the_probe():
    process, lines = run([compiled("vfs"), os.path.join(scratch, "vfs.db")], level=1, variables={"STORE_TRACE_IO": "1"})
    plain, _ = run([compiled("vfs"), os.path.join(scratch, "vfs-plain.db")], probe=False)
    expect(process.returncode == 0 and process.stdout == plain.stdout,
           f"with: {process.stdout[-600:]}\nwithout: {plain.stdout[-600:]}{process.stderr[-300:]}")
    expect(total(events(lines, "statement_io"), "reads") > 0, "read nothing")
