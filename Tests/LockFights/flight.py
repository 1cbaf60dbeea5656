#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a flight recorder for ten minutes over a program that is slow three times.

    Tests/LockFights/flight.py [SECONDS]

Expects three incidents, each with the slow statement as its newest event that meets the condition, disk and
memory within their bounds, and no session, trigger or daemon left behind.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("STORESCOPE_BIN", os.path.join(ROOT, ".build", "debug"))
TOOL = os.path.join(BIN, "trace-report")
PROBE = os.path.join(ROOT, ".build", "probe", "libstorescope-probe.so")
SLOW = "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c WHERE x < {}) SELECT count(*) FROM c"
# Far above what a busy machine makes of a quick statement.
LIMIT = "4s"
LIMIT_NS = 4_000_000_000
SLOW_SECONDS = 10
DISK = 64
MEMORY = 2


def program(path, seconds):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b)")
    durations = []
    for _ in range(3):
        begin = time.monotonic()
        db.execute(SLOW.format(500_000)).fetchall()
        durations.append(time.monotonic() - begin)
    rows = int(500_000 * SLOW_SECONDS / min(durations))
    begin = time.monotonic()
    slow = [seconds * part for part in (0.2, 0.5, 0.8)]
    while time.monotonic() - begin < seconds:
        if slow and time.monotonic() - begin > slow[0]:
            slow.pop(0)
            db.execute(SLOW.format(rows)).fetchall()
        db.execute("INSERT OR REPLACE INTO t VALUES (1, 2)")
        db.execute("SELECT b FROM t WHERE a = 1").fetchall()
        time.sleep(0.001)


def size(folder):
    return sum(os.lstat(os.path.join(at, name)).st_blocks * 512 for at, _, names in os.walk(folder) for name in names)


def resident(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read())[1])


def main():
    if sys.argv[1:2] == ["--program"]:
        return program(sys.argv[2], float(sys.argv[3]))
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600
    folder = tempfile.mkdtemp(prefix="flight.")
    trace = os.path.join(folder, "incidents")
    recorder = subprocess.Popen(
        [TOOL, "record", "--when", f"statement > {LIMIT}", "--disk", str(DISK), "--memory", str(MEMORY), "-o", trace,
         "--", sys.executable, __file__, "--program", os.path.join(folder, "app.db"), str(seconds)],
        env={**os.environ, "STORESCOPE_PROBE": PROBE}, stdout=subprocess.PIPE, text=True)
    disk = memory = shared = 0
    first = None
    while recorder.poll() is None:
        time.sleep(min(2, seconds / 50))
        try:
            memory = max(memory, resident(recorder.pid))
        except (OSError, TypeError):
            continue
        first = first or memory
        disk = max(disk, size(trace)) if os.path.exists(trace) else disk
        shared = max(shared, os.statvfs("/dev/shm").f_blocks - os.statvfs("/dev/shm").f_bfree)
    print(recorder.stdout.read())
    assert recorder.returncode == 0, recorder.returncode
    incidents = [json.load(open(os.path.join(trace, name, "incident.json"))) for name in sorted(os.listdir(trace))]
    assert len(incidents) == 3, len(incidents)
    for incident in incidents:
        offender = incident["offender"]
        assert offender["sql"].startswith("WITH RECURSIVE") and offender["duration"] > LIMIT_NS, offender
        assert any("SCAN c" in line for line in incident["plan"]), incident["plan"]
        assert incident["locks"][0]["journalMode"] == "wal", incident["locks"]
        text = subprocess.run(["babeltrace2", "--clock-seconds", os.path.join(trace, f"incident-{incident['number']}")],
                              capture_output=True, text=True, check=True).stdout.splitlines()
        runs = [line for line in text if "sqliteprobe:statement_run:" in line]
        slow = [i for i, line in enumerate(runs) if int(re.search(r"step_ns = (\d+)", line)[1]) > LIMIT_NS]
        # Earlier ones may still be in memory; the newest is this incident's.
        stamp = re.search(r"\[(\d+)\.(\d+)\]", runs[slow[-1]])
        assert int(stamp[1]) * 10**9 + int(stamp[2]) == offender["timestamp"], (stamp, offender)
        print(f"incident {incident['number']}: {len(runs)} statements, {len(runs) - 1 - slow[-1]} after the offender")
    print(f"disk {disk >> 10} KiB of {DISK << 10}, recorder's memory {first} to {memory} KiB, /dev/shm {shared * 4} KiB")
    assert disk <= DISK << 20, disk
    assert memory < 200 << 10, memory
    left = subprocess.run(["lttng", "--no-sessiond", "list"], capture_output=True, text=True).stdout
    left += subprocess.run(["lttng", "--no-sessiond", "list-triggers"], capture_output=True, text=True).stdout
    assert f"trace-report-{recorder.pid}-" not in left, left
    print("no session and no trigger is left")


if __name__ == "__main__":
    main()
