# SPDX-License-Identifier: Apache-2.0
"""A library of 300 books, with a query for each book and a search without an index."""
import os
import sqlite3


def connect():
    new = not os.path.exists("app.db")
    db = sqlite3.connect("app.db")
    if new:
        db.executescript("""
          PRAGMA journal_mode = wal;
          CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
          CREATE TABLE loan (book INTEGER, reader TEXT);""")
        db.executemany("INSERT INTO book VALUES (?, ?)", [(i, f"title {i}") for i in range(300)])
        db.executemany("INSERT INTO loan VALUES (?, ?)", [(i, f"reader {i}") for i in range(300)])
        db.commit()
    return db


def loans(db):
    return [
        (title, db.execute("SELECT reader FROM loan WHERE book = ?", (book,)).fetchone()[0])
        for book, title in db.execute("SELECT id, title FROM book").fetchall()
    ]


def search(db, title):
    return db.execute("SELECT id FROM book WHERE title = ?", (title,)).fetchall()


if __name__ == "__main__":
    db = connect()
    loans(db)
    search(db, "title 7")
