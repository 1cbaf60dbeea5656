# SPDX-License-Identifier: Apache-2.0
"""The same library: a join in place of a query for each book."""
import sqlite3

db = sqlite3.connect("app.db")
db.execute("SELECT title, reader FROM book JOIN loan ON loan.book = book.id").fetchall()
db.execute("SELECT id FROM book WHERE title = ?", ("title 7",)).fetchall()
