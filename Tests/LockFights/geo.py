# SPDX-License-Identifier: Apache-2.0
"""geo.py COUNT prints the nanoseconds of a search for 15 of 12,800 stops near a place."""

import random
import sqlite3
import sys
import time

count = int(sys.argv[1])
random.seed(1)
db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, lat REAL, lon REAL)")
db.executemany("INSERT INTO stop(name, lat, lon) VALUES (?, ?, ?)",
               ((f"Stop {i}", random.uniform(52.3, 52.7), random.uniform(13.0, 13.8)) for i in range(12_800)))
db.execute("CREATE INDEX stop_lat ON stop(lat, lon)")
start = time.thread_time_ns()
for i in range(count):
    lat, lon = 52.35 + i % 300 / 1000, 13.1 + i % 600 / 1000
    db.execute("SELECT id, name, lat, lon FROM stop WHERE lat BETWEEN ? AND ? AND lon BETWEEN ? AND ?"
               " ORDER BY (lat - ?) * (lat - ?) + (lon - ?) * (lon - ?) LIMIT 15",
               (lat - 0.02, lat + 0.02, lon - 0.03, lon + 0.03, lat, lat, lon, lon)).fetchall()
print((time.thread_time_ns() - start) / count)
