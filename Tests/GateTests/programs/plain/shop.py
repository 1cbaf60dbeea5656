# SPDX-License-Identifier: Apache-2.0
"""A shop of books: the program, healthy but for a loop that its team knows."""

SCHEMA = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE book (
        id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL, isbn TEXT NOT NULL,
        price INTEGER NOT NULL);
    CREATE INDEX book_author ON book (author_id);
    CREATE UNIQUE INDEX book_isbn ON book (isbn);
"""


def fill(db):
    db.executescript(SCHEMA)
    db.executemany("INSERT INTO author (id, name) VALUES (?, ?)", [(i, f"author {i}") for i in range(10)])
    db.executemany(
        "INSERT INTO book (id, author_id, title, isbn, price) VALUES (?, ?, ?, ?, ?)",
        [(i, i // 3, f"title {i}", f"isbn {i}", 100 + i) for i in range(30)])
    db.commit()


def titles_and_authors(db):
    rows = db.execute("SELECT b.title, a.name FROM book b JOIN author a ON a.id = b.author_id WHERE b.id < 10")
    return [f"{title} by {name}" for title, name in rows]


def books_of(db, authors):
    marks = ", ".join("?" * len(authors))
    return db.execute(f"SELECT id, title FROM book WHERE author_id IN ({marks})", authors).fetchall()


def book(db, isbn):
    return db.execute("SELECT id, title FROM book WHERE isbn = ?", (isbn,)).fetchone()


def newest(db, count):
    return db.execute("SELECT id, title FROM book ORDER BY id DESC LIMIT ?", (count,)).fetchall()


def first_of(db, author):
    row = db.execute("SELECT title FROM book WHERE author_id = ? ORDER BY id LIMIT 1", (author,)).fetchone()
    return row and row[0]


def add_authors(db, names):
    with db:
        for name in names:
            db.execute("INSERT INTO author (name) VALUES (?)", (name,))


def raise_prices(db, isbns):
    for isbn in isbns:
        db.execute("UPDATE book SET price = price + 1 WHERE isbn = ?", (isbn,))
    db.commit()


def prices(db, author):
    total = db.execute("SELECT sum(price) FROM book WHERE author_id = ?", (author,)).fetchone()[0]
    return {"total": total, "shipped": total + 5}


def page(db, number):
    count = db.execute("SELECT count(*) FROM author").fetchone()[0]
    return {"count": count, "pages": -(-count // 5), "number": number}


def known_loop(db):
    ids = db.execute("SELECT id, author_id FROM book WHERE id BETWEEN 10 AND 19").fetchall()
    return [db.execute("SELECT name FROM author WHERE id = ?", row[1:]).fetchone()[0] for row in ids]


def other_list(db):
    ids = db.execute("SELECT id, author_id FROM book WHERE id BETWEEN 20 AND 29").fetchall()
    return [row[1] for row in ids]
