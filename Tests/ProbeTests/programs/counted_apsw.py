# SPDX-License-Identifier: Apache-2.0
"""apsw, whose SQLite is its own; statements are those of its own tracer."""

import apsw

statements = rows = 0


def trace(cursor, sql, values):
    global statements
    statements += 1
    return True


connection = apsw.Connection(":memory:")
connection.exec_trace = trace
cursor = connection.cursor()
cursor.execute("CREATE TABLE t(a); BEGIN")
for number in range(30):
    cursor.execute("INSERT INTO t VALUES(?)", (number,))
cursor.execute("COMMIT")
for row in cursor.execute("SELECT * FROM t"):
    rows += 1
connection.close()
print("counts", statements, rows)
