# SPDX-License-Identifier: Apache-2.0
import shop


def test_titles(db):
    assert shop.titles_and_authors(db)[1] == "title 4 by author 2"


def test_books_of(db):
    assert shop.authors_with_books(db)["author 3"] == 3


def test_book(db):
    assert shop.book(db, "isbn 7").title == "title 7"


def test_newest(db):
    assert shop.newest(db, 5)[0].title == "title 30"


def test_first_of(db):
    assert shop.first_of(db, 2) == "title 4"


def test_add_authors(db):
    shop.add_authors(db, [f"new {i}" for i in range(10)])


def test_raise_prices(db):
    shop.raise_prices(db, [f"isbn {i}" for i in range(1, 11)])


def test_prices(db):
    assert shop.prices(db, 1)["total"] == 306


def test_page(db):
    assert shop.page(db, 1)["pages"] == 2


def test_known_loop(db):
    assert shop.known_loop(db)[0] == "author 1"
    assert shop.other_list(db)[0] == 1
