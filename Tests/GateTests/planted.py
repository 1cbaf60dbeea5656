# SPDX-License-Identifier: Apache-2.0
"""Forty regressions: a change of the program, a text of the line that the gate has to name, and the test."""

from dataclasses import dataclass

LOOP, SCAN, LIMIT, COMMIT, REPEAT = "a query in a loop", "a scan", "a lost LIMIT", "a commit in a loop", "a repeated query"


@dataclass
class Plant:
    program: str
    kind: str
    old: str
    new: str
    line: str
    test: str

    def __str__(self):
        return f"{self.program}: {self.kind} in {self.test}"


def plain(kind, test, old, new, line):
    return Plant("plain", kind, old, new, line, test)


def alchemy(kind, test, old, new, line):
    return Plant("sqlalchemy", kind, old, new, line, test)


def django(kind, test, old, new, line):
    return Plant("django", kind, old, new, line, test)


PLANTS = [
    # MARK: - sqlite3
    plain(
        LOOP, "test_titles",
        '''SELECT b.title, a.name FROM book b JOIN author a ON a.id = b.author_id WHERE b.id < 10")''',
        '''SELECT title, author_id FROM book WHERE id < 10").fetchall()
    rows = [(title, db.execute("SELECT name FROM author WHERE id = ?", (author,)).fetchone()[0]) for title, author in rows]''',
        "rows = [("),
    plain(
        LOOP, "test_books_of",
        '''    marks = ", ".join("?" * len(authors))
    return db.execute(f"SELECT id, title FROM book WHERE author_id IN ({marks})", authors).fetchall()''',
        '''    books = []
    for author in authors:
        books += db.execute("SELECT id, title FROM book WHERE author_id = ?", (author,)).fetchall()
    return books''',
        "books += db"),
    # As known_loop, at another function.
    plain(
        LOOP, "test_known_loop", '''    return [row[1] for row in ids]''',
        '''    [db.execute("SELECT name FROM author WHERE id = ?", row[1:]).fetchone() for row in ids]
    return [row[1] for row in ids]''',
        "    [db.execute("),
    plain(SCAN, "test_book", "FROM book WHERE isbn = ?", "FROM book WHERE upper(isbn) = upper(?)", "upper(isbn)"),
    plain(SCAN, "test_first_of", "WHERE author_id = ? ORDER", "WHERE author_id + 0 = ? ORDER", "author_id + 0"),
    plain(SCAN, "test_prices", "CREATE INDEX book_author ON book (author_id);", "", "sum(price)"),
    plain(LIMIT, "test_newest", '''ORDER BY id DESC LIMIT ?", (count,)''', '''ORDER BY id DESC"''', "ORDER BY id DESC"),
    plain(LIMIT, "test_first_of", " ORDER BY id LIMIT 1\", (author,)).fetchone()",
          " ORDER BY id\", (author,)).fetchall()[0]", "WHERE author_id = ? ORDER"),
    plain(
        COMMIT, "test_add_authors", '''    with db:
        for name in names:
            db.execute("INSERT INTO author (name) VALUES (?)", (name,))''',
        '''    for name in names:
        with db:
            db.execute("INSERT INTO author (name) VALUES (?)", (name,))''', "        with db:"),
    plain(
        COMMIT, "test_raise_prices", '''(isbn,))
    db.commit()''', '''(isbn,))
        db.commit()''', "        db.commit()"),
    # Without a transaction, each statement is one of its own.
    plain(
        COMMIT, "test_add_authors", '''    with db:
        for name in names:''', '''    db.isolation_level = None
    if True:
        for name in names:''', "INSERT INTO author (name)"),
    plain(
        REPEAT, "test_prices", "total + 5}",
        '''db.execute("SELECT sum(price) FROM book WHERE author_id = ?", (author,)).fetchone()[0] + 5}''', "\"shipped\""),
    plain(
        REPEAT, "test_page", "-(-count // 5)", '''-(-db.execute("SELECT count(*) FROM author").fetchone()[0] // 5)''',
        "\"pages\""),
    plain(
        REPEAT, "test_first_of", "    row = db.execute(", '''    for _ in range(2):
        db.execute("SELECT name FROM author WHERE id = ?", (author,)).fetchone()
    row = db.execute(''', "        db.execute(\"SELECT name FROM author WHERE id = ?\", (author,)"),
    # MARK: - SQLAlchemy
    alchemy(LOOP, "test_titles", ".options(joinedload(Book.author)).filter(Book.id % 3 == 1)",
            ".filter(Book.id % 3 == 1)", "by {book.author.name}"),
    alchemy(LOOP, "test_books_of", ".options(selectinload(Author.books))", "", "len(author.books)"),
    alchemy(LOOP, "test_known_loop", "[book.author_id for book in books]", "[book.author.id for book in books]",
            "[book.author.id"),
    alchemy(SCAN, "test_book", "filter(Book.isbn == isbn).one()", "filter(func.upper(Book.isbn) == isbn.upper()).one()",
            "func.upper"),
    alchemy(SCAN, "test_prices", "func.sum(Book.price)).filter(Book.author_id == author)",
            "func.sum(Book.price)).filter(Book.author_id + 0 == author)", "Book.author_id + 0"),
    alchemy(SCAN, "test_first_of", "nullable=False, index=True)", "nullable=False)", "query(Book.title)"),
    alchemy(LIMIT, "test_newest", ".order_by(Book.id.desc()).limit(count).all()", ".order_by(Book.id.desc()).all()[:count]",
            "Book.id.desc()"),
    alchemy(LIMIT, "test_first_of", ".order_by(Book.id).first()[0]", ".order_by(Book.id).all()[0][0]", "query(Book.title)"),
    alchemy(COMMIT, "test_add_authors", "        session.flush()\n    session.commit()", "        session.commit()",
            "        session.commit()"),
    alchemy(COMMIT, "test_raise_prices", '''Book.price + 1})
    session.commit()''', '''Book.price + 1})
        session.commit()''', "        session.commit()"),
    alchemy(REPEAT, "test_page", "-(-count // 5)", "-(-session.query(Author).count() // 5)", "\"pages\""),
    alchemy(REPEAT, "test_book", "    return session.query(Book).filter(Book.isbn == isbn).one()",
            '''    if session.query(Book).filter(Book.isbn == isbn).one_or_none():
        return session.query(Book).filter(Book.isbn == isbn).one()''', "isbn).one()"),
    alchemy(REPEAT, "test_newest", "    return session.query(Book).order_by(Book.id.desc())",
            "    session.query(Author).count()\n    return session.query(Book).order_by(Book.id.desc())",
            "    session.query(Author).count()"),
    # MARK: - Django
    django(LOOP, "test_titles", '''.select_related("author").filter(id__lte=10)''', ".filter(id__lte=10)",
           "by {book.author.name}"),
    django(LOOP, "test_books_of", '''.prefetch_related("books").order_by("id")''', '''.order_by("id")''',
           "len(author.books.all())"),
    django(LOOP, "test_known_loop", "[book.author_id for book in books]", "[book.author.id for book in books]",
           "[book.author.id"),
    django(SCAN, "test_book", "get(isbn=isbn)", "get(isbn__iexact=isbn)", "isbn__iexact"),
    django(SCAN, "test_prices", "filter(author_id=author).aggregate", "alias(a=F(\"author_id\") + 0).filter(a=author).aggregate",
           "alias(a="),
    django(LIMIT, "test_newest", '''order_by("-id")[:count])''', '''order_by("-id"))[:count]''', 'order_by("-id")'),
    django(LIMIT, "test_first_of", '''Book.objects.filter(author_id=author).order_by("id").first()''',
           '''list(Book.objects.filter(author_id=author).order_by("id"))[0]''', "[0].title"),
    django(COMMIT, "test_raise_prices", '''    with transaction.atomic():
        for isbn in isbns:
            Book''', '''    for isbn in isbns:
        with transaction.atomic():
            Book''', "        with transaction.atomic():"),
    django(COMMIT, "test_add_authors", '''    with transaction.atomic():
        for name in names:
            Author''', '''    for name in names:
        with transaction.atomic():
            Author''', "        with transaction.atomic():"),
    # Django commits each statement outside of atomic().
    django(COMMIT, "test_raise_prices", '''    with transaction.atomic():
        for isbn''', '''    if isbns:
        for isbn''', "Book.objects.filter(isbn=isbn).update"),
    django(REPEAT, "test_page", "-(-count // 5)", "-(-Author.objects.count() // 5)", "\"pages\""),
    django(REPEAT, "test_first_of", "    return Book.objects.filter(author_id=author)",
           "    for _ in range(2):\n        Author.objects.get(id=author)\n    return Book.objects.filter(author_id=author)",
           "Author.objects.get(id=author)"),
    django(REPEAT, "test_newest", "    return list(Book.objects.order_by",
           "    list(Book.objects.order_by(\"-id\")[:count])\n    return list(Book.objects.order_by",
           "    return list("),
]
