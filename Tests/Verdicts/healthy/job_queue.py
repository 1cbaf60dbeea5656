# SPDX-License-Identifier: Apache-2.0
"""A queue of 300 jobs: three processes claim by UPDATE … RETURNING, work, and commit the result."""

import json
import os
import sqlite3
import subprocess
import sys
import time

FOLDER, STEP = sys.argv[1:3]


def connect():
    db = sqlite3.connect(os.path.join(FOLDER, "jobs.sqlite"), timeout=10, isolation_level=None)
    db.execute("PRAGMA synchronous = NORMAL")
    return db


def make():
    db = connect()
    db.executescript("""
        PRAGMA journal_mode = WAL;
        CREATE TABLE job(id INTEGER PRIMARY KEY, state TEXT NOT NULL DEFAULT 'ready', priority INTEGER NOT NULL, payload TEXT NOT NULL,
            worker TEXT, result TEXT);
        CREATE INDEX job_ready ON job(priority DESC, id) WHERE state = 'ready';
        BEGIN;
    """)
    db.executemany("INSERT INTO job(priority, payload) VALUES (?, ?)", ((i % 5, json.dumps({"number": i})) for i in range(300)))
    db.execute("COMMIT")


def work():
    db = connect()
    while claimed := db.execute("""
            UPDATE job SET state = 'running', worker = ? WHERE id = (
                SELECT id FROM job WHERE state = 'ready' ORDER BY priority DESC, id LIMIT 1) RETURNING id, payload""", (STEP,)).fetchall():
        for key, payload in claimed:
            time.sleep(0.015)
            result = str(json.loads(payload)["number"] ** 2)
            db.execute("UPDATE job SET state = 'done', result = ? WHERE id = ?", (result, key))


def run():
    workers = [subprocess.Popen([sys.executable, __file__, FOLDER, f"worker{number}"]) for number in range(3)]
    assert [worker.wait() for worker in workers] == [0, 0, 0]


{"make": make, "run": run}.get(STEP, work)()
