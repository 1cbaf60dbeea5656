# SPDX-License-Identifier: Apache-2.0
"""The rows whose values later runs bind, and the loops that are found by them."""

import json
import os
import random
import sys

from harness import *


def rows_whose_values_are_bound():
    """Keys that repeat, texts, numbers bound as texts, values in the SQL, open cursors, and what comes behind the rows that are kept."""
    code = """if True:
        import sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT)")
        db.execute("CREATE TABLE book(id INTEGER PRIMARY KEY, author INT, title TEXT, price REAL)")
        for i in range(1, 41):
            db.execute(f"INSERT INTO author VALUES ({i}, 'a{i}')")
            db.execute(f"INSERT INTO book VALUES ({i}, {i * 5 % 7 + 1}, 't{i}', {i}.5)")
        books = db.execute("SELECT id, author FROM book").fetchall()
        for book in books: db.execute("SELECT name FROM author WHERE id = ?", (book[1],)).fetchone()
        for book in db.execute("SELECT title FROM book"): db.execute("SELECT id FROM book WHERE title = ?", book).fetchone()
        for book in db.execute("SELECT id FROM book").fetchall()[:9]:
            db.execute(f"SELECT price FROM book WHERE id = {book[0]}").fetchone()
        for book in db.execute("SELECT price FROM book").fetchall()[:5]:
            db.execute("SELECT id FROM book WHERE price = ? AND id > ?", (book[0], 0)).fetchone()
        for i in range(20): db.execute("SELECT title FROM book WHERE id = ? AND price > ?", (77, 2.0)).fetchone()
        for book in db.execute("SELECT author, id FROM book ORDER BY author, id").fetchall():
            db.execute("SELECT name FROM author WHERE id = ?", (book[0],)).fetchone()
        for book in db.execute("SELECT id FROM book WHERE id > -20").fetchall()[:7]:
            db.execute("SELECT title FROM book WHERE id = +?", (str(book[0]),)).fetchone()
        books = db.execute("SELECT id FROM book WHERE id > -1000").fetchall()
        for book in reversed(books): db.execute("SELECT title FROM book WHERE +id = ?", book).fetchone()
        for book in books + books: db.execute("SELECT title FROM book WHERE id = ? + 0", book).fetchone()
    """
    process, lines = run([sys.executable, "-c", code, os.path.join(scratch, "origins.db")], level=1)
    expect(process.returncode == 0, process.stderr)
    runs = events(lines, "statement_run")
    lists = [(run["list_id"], run["rows"]) for run in runs if run.get("list_id")]
    expect([rows for _, rows in lists] == ["40"] * 7, f"{lists}")
    of_list = {number: [int(run.get("origin_row", 0)) for run in runs if run.get("origin_id") == number] for number, _ in lists}
    expect([row for row in of_list[lists[4][0]] if row][:32] == list(range(1, 33)), f"{of_list}")
    expect(of_list[lists[5][0]] == list(range(1, 8)), f"{of_list}")
    expect([row for row in of_list[lists[6][0]] if row] == list(range(31, 0, -1)) + list(range(1, 33)) * 2, f"{of_list}")
    expect([of_list[number] for number, _ in lists[:4]] ==
           [list(range(1, 33)), list(range(1, 33)), list(range(1, 10)), list(range(1, 6))], f"{of_list}")


def loops_that_take_turns_on_one_connection():
    """Two requests on one thread, each over its own list, which share a third of their values."""
    code = """if True:
        import sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT)")
        db.execute("CREATE TABLE book(id INTEGER PRIMARY KEY, author INT, shelf INT)")
        for i in range(1, 400): db.execute("INSERT INTO author VALUES (?, ?)", (i, f"a{i}"))
        for i in range(1, 41):
            for shelf in 1, 2:
                author = 390 - i if i % 3 == 2 and i > 5 else 100 * shelf + i * 7 % 89
                db.execute("INSERT INTO book(author, shelf) VALUES (?, ?)", (author, shelf))
        def request(shelf):
            books = db.execute("SELECT id, author FROM book WHERE shelf = ?", (shelf,)).fetchall()
            yield
            for book in books: yield db.execute("SELECT name FROM author WHERE id = ?", book[1:]).fetchall()
        for step in zip(request(1), request(2)): pass
    """
    process, lines = run([sys.executable, "-c", code, os.path.join(scratch, "turns.db")], level=1)
    expect(process.returncode == 0, process.stderr)
    runs = events(lines, "statement_run")
    lists = [run["list_id"] for run in runs if run.get("list_id")]
    of_list = [[int(run.get("origin_row", 0)) for run in runs if run.get("origin_id") == number] for number in lists]
    expect(of_list == [list(range(1, 33))] * 2, f"{of_list}")
    found = json.loads(report("summary", os.path.join(scratch, "log"), "--json").stdout)["findings"]
    expect(any(finding["rule"] == "AvoidQueryInLoop" for finding in found), f"{found}")


def loops_of_random_servers():
    """All of the servers with a query for each row, and none of the others: SERVERS of them, from SEED on."""
    count = int(os.environ.get("SERVERS", 24))
    seed = int(os.environ.get("SEED", random.randrange(1_000_000)))
    print(f"    SERVERS={count} SEED={seed}", flush=True)
    log, path = os.path.join(scratch, "log"), os.path.join(scratch, "server.db")
    wrong = []
    for number in range(seed, seed + count):
        if os.path.exists(path):
            os.remove(path)
        process, _ = run([sys.executable, os.path.join(PROGRAMS, "server.py"), str(number), path], level=1)
        expect(process.returncode == 0, f"{number}: {process.stderr}")
        result = report("summary", log, "--json")
        expect(result.returncode == 0, f"{number}: {result.stderr}")
        found = [finding for finding in json.loads(result.stdout)["findings"]
                 if finding["rule"] == "AvoidQueryInLoop" and finding["severity"] == "warning"]
        if bool(found) != (number % 2 == 1):
            wrong.append(f"{number} ({process.stdout.strip()}): {[finding['message'] for finding in found]}")
    print(f"    {count - len(wrong)} of {count} servers are right", flush=True)
    expect(not wrong, "; ".join(wrong))
