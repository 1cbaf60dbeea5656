#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A database that its own programs damage: VACUUM and another process that writes, while a thread reads the file's header.

    Tests/Sentinel/damage.py [--runs 5]

Each run ends when a statement fails because the file is malformed, or after 20 s. Recorded, the raw reads are reported at their
line, and the first one precedes the first bad page; without raw reads there is neither. `record --when corrupt` keeps the seconds
before.
"""

import datetime
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from matrix import TOOL, findings

PROGRAM = """
import os, sqlite3, sys, threading, time
path, reads = sys.argv[1], sys.argv[2] == "raw"
def connect():
    return sqlite3.connect(path, isolation_level=None, timeout=10)
db = connect()
db.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)")
db.execute("BEGIN")
db.executemany("INSERT INTO t(b) VALUES (zeroblob(?))", ((n % 900,) for n in range(3000)))
db.execute("COMMIT")
db.close()
end = time.monotonic() + (20 if reads else 6)
if os.fork() == 0:
    db, n = connect(), 0
    try:
        while time.monotonic() < end:
            n += 1
            db.execute("BEGIN IMMEDIATE")
            db.execute("UPDATE t SET b = zeroblob(?) WHERE a % 50 = ?", (n % 900, n % 50))
            db.execute("DELETE FROM t WHERE a = ?", (n % 3000,))
            db.execute("INSERT OR REPLACE INTO t VALUES (?, zeroblob(800))", (n % 3000,))
            db.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        print(error, flush=True)
    os._exit(0)
def read():
    while time.monotonic() < end:
        open(path, "rb").close()  # raw
        time.sleep(0.002)
if reads:
    threading.Thread(target=read, daemon=True).start()
db = connect()
try:
    while time.monotonic() < end:
        db.execute("VACUUM")
        if db.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
            db.execute("SELECT count(b) FROM t").fetchall()
except sqlite3.DatabaseError as error:
    print(error, flush=True)
os.wait()
"""
LINE = next(number for number, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# raw"))


def record(folder, reads, *options):
    script, trace = os.path.join(folder, "program.py"), os.path.join(folder, "trace")
    with open(script, "w") as file:
        file.write(PROGRAM)
    process = subprocess.run([TOOL, "record", "-o", trace, *options, "--", sys.executable, script,
                              os.path.join(folder, "app.db"), reads], capture_output=True, text=True, timeout=300)
    return trace, process


def lines(log):
    """The time and the text of each line of a recording's log; of a short one with the event's name before its values."""
    time, names = None, {}
    for line in open(log, errors="replace"):
        line = line.lstrip("\0")
        short = re.match(r"~(\d+) (-?\d+) \d* (.*)", line)
        if short:
            time += datetime.timedelta(microseconds=int(short[2]))
            yield time, f"{names[short[1]]} {short[3]}"
        elif line.strip():
            time = datetime.datetime.fromisoformat(line[:26])
            fields = re.search(r"log fields: (\d+)=(\w+)", line)
            if fields:
                names[fields[1]] = fields[2]
            yield time, line


def first(trace, pattern):
    """The time of the first line of the logs with a pattern; None without one."""
    times = [time for log in glob.glob(trace + "/*.log") for time, line in lines(log) if re.search(pattern, line)]
    return min(times, default=None)


def check(reads):
    """What is wrong with a run, and whether its file was damaged."""
    with tempfile.TemporaryDirectory(prefix="sentinel.") as folder:
        trace, process = record(folder, reads, "--log")
        damaged = first(trace, r'"SQLITE_(CORRUPT|NOTADB|IOERR)')
        touched = first(trace, "^database_file_touched ")
        found = findings(trace)
        if reads == "none":
            return ("" if not found and not damaged else f"a healthy run: {found}, damaged {damaged}"), bool(damaged)
        if ("DoNotOpenDatabaseFile", LINE) not in found:
            return f"no finding at line {LINE}: {found} {process.stderr[-300:]}", bool(damaged)
        if damaged and not (touched and touched < damaged):
            return f"damaged at {damaged}, and the first event at {touched}", True
        if damaged and not any(rule == "HandleCorruption" for rule, _ in found):
            return f"the damage is not reported: {found}", True
        return "", bool(damaged)


def check_incident():
    """What is wrong with the seconds that the flight recorder keeps."""
    with tempfile.TemporaryDirectory(prefix="sentinel.") as folder:
        trace, process = record(folder, "raw", "--when", "corrupt", "--at-most", "1")
        if not re.search("malformed|not a database|disk I/O error", process.stdout):
            return "", False
        incidents = sorted(glob.glob(trace + "/*/incident.json"))
        if not incidents:
            return f"no incident: {process.stdout[-500:]} {process.stderr[-300:]}", True
        incident = json.load(open(incidents[0]))
        found = findings(os.path.dirname(incidents[0]))
        if ("DoNotOpenDatabaseFile", LINE) not in found:
            return f"the incident has {found}, and not the raw reads", True
        return ("" if "corrupt" in incident["condition"] else str(incident["condition"])), True


def main():
    runs = int(sys.argv[sys.argv.index("--runs") + 1]) if "--runs" in sys.argv else 5
    results = [check("raw") for _ in range(runs)] + [check("none")]
    incident = check_incident()
    for _ in range(4):
        if incident[1]:
            break
        incident = check_incident()
    results.append(incident)
    names = [f"raw reads {number}" for number in range(1, runs + 1)] + ["no raw reads", "--when corrupt"]
    for name, (error, damaged) in zip(names, results):
        print(f"{name}: {error or 'ok'}{', damaged' if damaged else ''}", flush=True)
    sys.exit(1 if any(error for error, _ in results) else 0)


if __name__ == "__main__":
    main()
