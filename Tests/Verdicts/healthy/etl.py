# SPDX-License-Identifier: Apache-2.0
"""An ETL with Python's own sqlite3: 150,000 measurements from CSV, averages of days and stations, a report."""

import csv
import datetime
import itertools
import os
import random
import sqlite3
import sys

FOLDER, STEP = sys.argv[1:3]
SCHEMA = """
    CREATE TABLE IF NOT EXISTS station(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, city TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS measurement(station_id INTEGER NOT NULL REFERENCES station(id), time TEXT NOT NULL,
        celsius REAL, humidity REAL, PRIMARY KEY(station_id, time)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS day(station_id INTEGER NOT NULL REFERENCES station(id), day TEXT NOT NULL, celsius REAL,
        lowest REAL, highest REAL, humidity REAL, count INTEGER, PRIMARY KEY(station_id, day)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS day_day ON day(day, station_id);
"""


def make():
    dice, first = random.Random(1), datetime.datetime(2024, 1, 1)
    with open(os.path.join(FOLDER, "stations.csv"), "w", newline="") as file:
        csv.writer(file).writerows((f"S{i:03}", f"City {i % 12}") for i in range(60))
    with open(os.path.join(FOLDER, "measurements.csv"), "w", newline="") as file:
        csv.writer(file).writerows(
            (f"S{station:03}", (first + datetime.timedelta(minutes=30 * i)).isoformat(), round(dice.gauss(11, 6), 1),
             dice.randint(30, 99)) for i in range(2500) for station in range(60))


def chunks(rows, size=10_000):
    rows = iter(rows)
    while chunk := list(itertools.islice(rows, size)):
        yield chunk


def run():
    db = sqlite3.connect(os.path.join(FOLDER, "weather.sqlite"))
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=NORMAL")
    db.executescript(SCHEMA)
    with open(os.path.join(FOLDER, "stations.csv"), newline="") as file, db:
        db.executemany("INSERT INTO station(code, city) VALUES (?, ?) ON CONFLICT(code) DO UPDATE SET city = excluded.city",
                       csv.reader(file))
    stations = dict(db.execute("SELECT code, id FROM station"))
    with open(os.path.join(FOLDER, "measurements.csv"), newline="") as file:
        for chunk in chunks(csv.reader(file)):
            with db:
                db.executemany("INSERT OR REPLACE INTO measurement VALUES (?, ?, ?, ?)", (
                    (stations[code], time, float(celsius), float(humidity)) for code, time, celsius, humidity in chunk))
    with db:
        db.execute("""
            INSERT INTO day SELECT station_id, substr(time, 1, 10), avg(celsius), min(celsius), max(celsius), avg(humidity),
                count(*) FROM measurement WHERE true GROUP BY station_id, substr(time, 1, 10)
            ON CONFLICT(station_id, day) DO UPDATE SET celsius = excluded.celsius, count = excluded.count""")
    db.execute("PRAGMA optimize")
    print(db.execute("""
        SELECT city, round(avg(celsius), 2), sum(count) FROM day JOIN station ON station.id = station_id
        WHERE day BETWEEN '2024-02-01' AND '2024-02-07' GROUP BY city ORDER BY 2 DESC""").fetchall())
    for (day, celsius, mean) in db.execute("""
            SELECT day, celsius, avg(celsius) OVER (ORDER BY day ROWS 6 PRECEDING) FROM day WHERE station_id = ? ORDER BY day""",
                                           (stations["S007"],)):
        assert day and celsius and mean
    print(db.execute("SELECT avg(celsius), avg(humidity), count(*) FROM measurement").fetchone())
    db.close()


{"make": make, "run": run}[STEP]()
