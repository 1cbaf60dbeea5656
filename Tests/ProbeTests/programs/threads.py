# SPDX-License-Identifier: Apache-2.0
"""Threads that write to one file, each with its connection, and share one under a lock."""

import sqlite3
import sys
import threading

path = sys.argv[1]
lock = threading.Lock()
statements = rows = 0
shared = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)


def count(connection, sql, *values):
    global statements, rows
    found = connection.execute(sql, values).fetchall()
    with lock:
        statements += 1
        rows += len(found)


def work(number):
    own = sqlite3.connect(path, timeout=30, isolation_level=None)
    for round in range(20):
        count(own, "INSERT INTO t VALUES(?)", number)
        with lock:
            shared.execute("SELECT 1").fetchall()
    with lock:
        global statements, rows
        statements += 20
        rows += 20
    own.close()


count(shared, "SELECT 1")
setup = sqlite3.connect(path, isolation_level=None)
count(setup, "PRAGMA journal_mode = WAL")
count(setup, "CREATE TABLE t(a)")
threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
count(setup, "SELECT * FROM t")
print("counts", statements, rows)
