# SPDX-License-Identifier: Apache-2.0
import sqlite3

SCHEMA = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, isbn TEXT UNIQUE, author_id INTEGER REFERENCES author);
    CREATE INDEX book_author ON book (author_id);
"""


class Store:
    def __init__(self, path):
        self.db = sqlite3.connect(path)

    def add(self, books):
        with self.db:
            for book in books:
                self.db.execute("INSERT INTO book (title, isbn, author_id) VALUES (?, ?, ?)", book)

    def titles(self):
        return self.db.execute(
            "SELECT b.title, a.name FROM book b JOIN author a ON a.id = b.author_id ORDER BY b.id").fetchall()

    def book(self, isbn):
        return self.db.execute("SELECT id, title FROM book WHERE isbn = ?", (isbn,)).fetchone()

    def newest(self, count):
        return self.db.execute("SELECT id, title FROM book ORDER BY id DESC LIMIT ?", (count,)).fetchall()
