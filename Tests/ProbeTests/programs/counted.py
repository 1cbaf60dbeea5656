# SPDX-License-Identifier: Apache-2.0
"""A database module that the first argument names; counts statements and rows by hand."""

import importlib
import sys

sqlite3 = importlib.import_module(sys.argv[1])
statements = rows = 0


def run(cursor, sql, *values):
    global statements
    statements += 1
    return cursor.execute(sql, values)  # the line that runs them


connection = sqlite3.connect(":memory:", isolation_level=None)
cursor = connection.cursor()
run(cursor, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
run(cursor, "BEGIN IMMEDIATE")
for number in range(50):
    run(cursor, "INSERT INTO t VALUES(?, ?)", number, "it's " + str(number))
run(cursor, "COMMIT")
for number in range(20):
    rows += len(run(cursor, "SELECT * FROM t WHERE a >= ?", number).fetchall())
try:
    run(cursor, "INSERT INTO t VALUES(1, 1)")
except sqlite3.IntegrityError:
    pass
connection.executescript("DELETE FROM t WHERE a < 10; SELECT count(*) FROM t;")
statements += 2
rows += 1
connection.close()
print("counts", statements, rows)
