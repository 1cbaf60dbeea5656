#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `rehearse` predicts for ten times the largest rehearsed size with runs of the migrations.

    Scripts/rehearsals.py [--tool trace-report] [--rows 200000] [--only "delete half"] [--check]

A run is that of a program with SQLite's own settings, in a process of its own, on a fresh copy: the lock is held from the
statement's first step to its commit, less the time in which the process waited for a processor that other programs used
(the run delay of /proc/self/schedstat). Runs and rehearsals take turns.
"""
import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

MIGRATIONS = {
    "index on text": "CREATE INDEX m ON book(title)",
    "index on two columns": "CREATE INDEX m ON book(author, price)",
    "delete half": "DELETE FROM book WHERE price < 45",
    "delete a tenth": "DELETE FROM book WHERE price < 9",
    "update": "UPDATE book SET price = price + 1",
    "update, indexed": "UPDATE book SET isbn = isbn * 31 % 2147483647",
    "add a column": "ALTER TABLE book ADD COLUMN pages INTEGER; UPDATE book SET pages = 100",
    "insert, select": "INSERT INTO archive(title, isbn) SELECT title, isbn FROM book",
    "create table as": "CREATE TABLE shelf AS SELECT id, title, isbn FROM book",
}
RUN = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
# A checkpoint does not hold the lock.
connection.execute("PRAGMA wal_autocheckpoint = 0")
def times():
    with open("/proc/self/schedstat") as file:
        return time.monotonic(), time.process_time(), int(file.read().split()[1]) / 1e9
before = times()
for sql in sys.argv[2].split(";"):
    connection.execute(sql)
wall, processor, waited = (b - a for a, b in zip(before, times()))
print(wall - waited, processor, waited)
"""


def make(path, rows, mode):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(f"""
        PRAGMA journal_mode = {mode}; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000;
        CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE book(id INTEGER PRIMARY KEY, author INTEGER REFERENCES author(id), title TEXT, price INTEGER,
            isbn INTEGER);
        CREATE TABLE archive(id INTEGER PRIMARY KEY, title TEXT, isbn INTEGER);
        CREATE INDEX archive_isbn ON archive(isbn);
        BEGIN;
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {rows // 10})
            INSERT INTO author SELECT i, 'author ' || i FROM n;
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {rows})
            INSERT INTO book SELECT i, 1 + (i * 7919 % 1000003) % {rows // 10},
                'a title of ' || substr(hex(zeroblob(40)), 1, i * 7919 % 61) || (i * 48271 % 2147483647), i % 90,
                i * 48271 % 2147483647 FROM n;
        CREATE INDEX book_isbn ON book(isbn);
        CREATE INDEX book_author ON book(author);
        COMMIT;
        PRAGMA wal_checkpoint(TRUNCATE);
        """)
    connection.close()


def real(database, sql, folder):
    """Seconds: of the lock, of the processor, and of waiting for one."""
    copy = os.path.join(folder, "run.db")
    shutil.copy(database, copy)
    os.sync()
    output = subprocess.run([sys.executable, "-c", RUN, copy, sql], capture_output=True, text=True, check=True).stdout
    for suffix in ("", "-wal", "-shm", "-journal"):
        if os.path.exists(copy + suffix):
            os.remove(copy + suffix)
    return [float(number) for number in output.split()]


def predicted(tool, database, sql, folder):
    script = os.path.join(folder, "m.sql")
    with open(script, "w") as file:
        file.write(sql)
    command = [tool, "rehearse", script, "--database", database, "--json", "--sizes", "1/40,1/10"]
    output = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "TMPDIR": folder})
    report = json.loads(output.stdout)
    span = report.get("longestLockRange")
    return report["costs"]["lockNs"] / 1e9, span and (span["lowNs"] / 1e9, span["highNs"] / 1e9)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default=".build/release/trace-report")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--only")
    parser.add_argument("--check", action="store_true", help="fail where a ratio is not within 0.75 to 1.25")
    options = parser.parse_args()
    failures = 0
    print(f"{options.rows:,} rows      | lock, s | processor, s | waited, s | predicted, s | range, s | ratio")
    with tempfile.TemporaryDirectory() as folder:
        for mode in "wal", "delete":
            database = os.path.join(folder, mode + ".db")
            make(database, options.rows, mode)
            for name, sql in MIGRATIONS.items():
                if options.only and name != options.only:
                    continue
                runs, rehearsals = [], []
                for _ in range(options.times):
                    runs.append(real(database, sql, folder))
                    rehearsals.append(predicted(options.tool, database, sql, folder))
                lock, processor, waited = sorted(runs)[len(runs) // 2]
                prediction, span = sorted(rehearsals, key=lambda one: one[0])[len(rehearsals) // 2]
                ratio = prediction / lock
                failures += not 0.75 <= ratio <= 1.25
                limits = "{:.3f}-{:.3f}".format(*span) if span else "-"
                print(f"{mode:6} {name:20} | {lock:.3f} | {processor:.3f} | {waited:.3f} | {prediction:.3f} | {limits} "
                      f"| {ratio:.2f}", flush=True)
            os.remove(database)
    sys.exit(1 if options.check and failures else 0)


main()
