# SPDX-License-Identifier: Apache-2.0
# Runs statements on two threads until its input ends; each author's books are an N+1. Prints `ok` if all is right.
import sqlite3
import sys
import threading

over = threading.Event()
failures = []


def work(number):
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute("CREATE TABLE author(id INTEGER PRIMARY KEY, name)")
    db.execute("CREATE TABLE book(author, title)")
    db.executemany("INSERT INTO author VALUES (?, ?)", [(i, f"author {i}") for i in range(20)])
    db.executemany("INSERT INTO book VALUES (?, ?)", [(i % 20, f"book {i}") for i in range(200)])
    db.execute("CREATE INDEX book_author ON book(author)")
    while not over.is_set():
        authors = db.execute("SELECT id, name FROM author ORDER BY name").fetchall()
        for author, name in authors:
            books = db.execute("SELECT title FROM book WHERE author = ?", (author,)).fetchall()
            if len(books) != 10:
                failures.append(name)
    db.close()


threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
for thread in threads:
    thread.start()
print("ready", flush=True)
sys.stdin.read()
over.set()
for thread in threads:
    thread.join()
print("failed" if failures else "ok")
