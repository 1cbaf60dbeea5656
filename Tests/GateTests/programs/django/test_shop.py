# SPDX-License-Identifier: Apache-2.0
from shop import shelf


def test_titles(books):
    assert shelf.titles_and_authors()[3] == "title 4 by author 2"
    assert shelf.kind() == "book"


def test_books_of(books):
    assert shelf.authors_with_books()["author 3"] == 3


def test_book(books):
    assert shelf.book("isbn 7").title == "title 7"
    assert shelf.kind() == "book"


def test_newest(books):
    assert shelf.newest(5)[0].title == "title 30"


def test_first_of(books):
    assert shelf.first_of(2) == "title 4"


def test_add_authors(books):
    shelf.add_authors([f"new {i}" for i in range(10)])


def test_raise_prices(committed_books):
    shelf.raise_prices([f"isbn {i}" for i in range(1, 11)])


def test_prices(books):
    assert shelf.prices(1)["total"] == 306


def test_page(books):
    assert shelf.page(1)["pages"] == 2


def test_known_loop(books):
    assert shelf.known_loop()[0] == "author 4"
    assert shelf.other_list()[0] == 7
