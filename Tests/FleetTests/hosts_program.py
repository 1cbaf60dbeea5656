#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs statements and prints how many there were, and the rows that it got.

    hosts_program.py DATABASE COUNT [STATUS [HALF GO]]

After half of them it makes the file HALF, and waits for the file GO.
"""
import os
import sqlite3
import sys
import time

database, count = sys.argv[1], int(sys.argv[2])
status = int(sys.argv[3]) if len(sys.argv) > 3 else 0
half, go = sys.argv[4:6] if len(sys.argv) > 5 else (None, None)
db = sqlite3.connect(database, isolation_level=None)
# Reports count a driver's own settings apart.
db.execute("PRAGMA synchronous = OFF")
statements = []
db.set_trace_callback(statements.append)
rows = 0
db.execute("CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT)")
for number in range(count):
    if half and number == count // 2:
        open(half, "w").close()
        while not os.path.exists(go):
            time.sleep(0.01)
    db.execute("INSERT INTO stop VALUES(?, ?)", (number, f"stop {number}"))
    rows += len(db.execute("SELECT name FROM stop WHERE id > ? LIMIT 3", (number - 3,)).fetchall())
db.close()
print(len(statements), rows)
sys.exit(status)
