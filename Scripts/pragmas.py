#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the factors of time that `replay --pragma` predicts with runs of the program with these settings.

    Scripts/pragmas.py [--tool trace-report] [--pairs 9] [--check]

A program that commits 200 times and scans 40 times runs with and without each setting, in turns. Its time is that of all
statements in SQLite, from its recording.
"""
import argparse
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

PRAGMAS = ["journal_mode=WAL", "synchronous=OFF", "automatic_index=OFF"]
PROGRAM = """
import random, sqlite3, sys
db = sqlite3.connect("app.db")
for setting in sys.argv[1:]: db.execute("PRAGMA " + setting)
random.seed(1)
for i in range(200):
    with db: db.execute("INSERT INTO log(text, number) VALUES (?, ?)", ("x" * 100, random.randrange(10**6)))
    if i % 4 == 0:
        for _ in range(10): db.execute("SELECT text FROM log WHERE number = ?", (random.randrange(10**6),)).fetchall()
for i in range(40):
    db.execute("SELECT count(*), max(text) FROM log WHERE text > ?", ("a",)).fetchall()
    db.execute("SELECT count(*) FROM small a JOIN small b ON a.number = b.other WHERE a.id < ?", (40,)).fetchall()
"""


def make(path):
    random.seed(2)
    db = sqlite3.connect(path)
    db.executescript("""
        CREATE TABLE log(id INTEGER PRIMARY KEY, text TEXT, number INTEGER);
        CREATE INDEX log_number ON log(number);
        CREATE TABLE small(id INTEGER PRIMARY KEY, number INTEGER, other INTEGER)""")
    db.executemany("INSERT INTO log(text, number) VALUES (?, ?)", (("y" * 200, random.randrange(10**6)) for _ in range(20000)))
    db.executemany("INSERT INTO small(number, other) VALUES (?, ?)", ((i, i * 7 % 1000) for i in range(1000)))
    db.commit()
    db.close()


def recorded(tool, folder, trace, settings, *options):
    """Records a run on a fresh copy, and returns its time in SQLite, in ms."""
    shutil.copy(os.path.join(folder, "start.db"), os.path.join(folder, "app.db"))
    for end in ("-wal", "-shm", "-journal"):
        if os.path.exists(os.path.join(folder, "app.db" + end)):
            os.remove(os.path.join(folder, "app.db" + end))
    shutil.rmtree(trace, ignore_errors=True)
    subprocess.run(
        [tool, "record", *options, "-o", trace, "--", sys.executable, "-c", PROGRAM, *settings],
        cwd=folder, check=True, capture_output=True)
    summary = subprocess.run([tool, "summary", "--json", trace], check=True, capture_output=True, text=True)
    return json.loads(summary.stdout)["totals"]["connectionNs"] / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=".build/release/trace-report")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--check", action="store_true", help="fail if a factor differs by more than 10% from the median")
    options = parser.parse_args()
    tool = os.path.abspath(options.tool)
    wrong = 0
    # A commit that waits for the database's disk must not wait for the log of the recording as well.
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        make(os.path.join(folder, "start.db"))
        trace, other = os.path.join(memory, "trace"), os.path.join(memory, "other")
        recorded(tool, folder, trace, [], "--replayable", "app.db")
        for pragma in PRAGMAS:
            replay = subprocess.run(
                [tool, "replay", trace, "--json", "--pragma", pragma], capture_output=True, text=True)
            ratio = json.loads(replay.stdout)["timeRatio"]
            pairs = [(recorded(tool, folder, other, [], "--log"), recorded(tool, folder, other, [pragma], "--log"))
                     for _ in range(options.pairs)]
            real = statistics.median(b for _, b in pairs) / statistics.median(a for a, _ in pairs)
            error = ratio["median"] / real
            wrong += not 0.9 <= error <= 1.1
            print(f"{pragma}: predicted {ratio['median']:.2f}x ({ratio['low']:.2f} to {ratio['high']:.2f}), "
                  f"real {real:.2f}x, {error:.2f} of it", flush=True)
    if options.check and wrong:
        sys.exit(f"{wrong} of {len(PRAGMAS)} factors differ by more than 10%")


if __name__ == "__main__":
    main()
