# SPDX-License-Identifier: Apache-2.0
import shop


def test_titles(db):
    assert shop.titles_and_authors(db)[3] == "title 3 by author 1"


def test_books_of(db):
    assert len(shop.books_of(db, [1, 2, 3, 4, 5, 6, 7, 8, 9, 0])) == 30


def test_book(db):
    assert shop.book(db, "isbn 7") == (7, "title 7")


def test_newest(db):
    assert shop.newest(db, 5)[0][:2] == (29, "title 29")


def test_first_of(db):
    assert shop.first_of(db, 2) == "title 6"


def test_add_authors(db):
    shop.add_authors(db, [f"new {i}" for i in range(10)])


def test_raise_prices(db):
    shop.raise_prices(db, [f"isbn {i}" for i in range(10)])


def test_prices(db):
    assert shop.prices(db, 1)["total"] == 312


def test_page(db):
    assert shop.page(db, 1)["pages"] == 2


def test_known_loop(db):
    assert shop.known_loop(db)[0] == "author 3"
    assert shop.other_list(db)[0] == 6
