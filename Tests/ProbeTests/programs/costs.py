# SPDX-License-Identifier: Apache-2.0
"""costs.py point|fetch COUNT prints nanoseconds for each of them."""

import sqlite3
import sys
import time

what, count = sys.argv[1], int(sys.argv[2])
connection = sqlite3.connect(":memory:")
connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL)")
connection.executemany("INSERT INTO t VALUES(?, ?, ?)",
                       ((i, "Am Treptower Park", i * 0.5) for i in range(count if what == "fetch" else 1000)))


def point():
    for i in range(count):
        connection.execute("SELECT a, b, c FROM t WHERE a = ?", (i % 1000,)).fetchone()


def fetch():
    for row in connection.execute("SELECT a, b, c FROM t"):
        pass


# See costs.c.
connection.execute("SELECT sum(length(b)) FROM t").fetchone()
start = time.thread_time_ns()
{"point": point, "fetch": fetch}[what]()
print((time.thread_time_ns() - start) / count)
