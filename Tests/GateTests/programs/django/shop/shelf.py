# SPDX-License-Identifier: Apache-2.0
"""The shop with Django's ORM."""

from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import F, Sum

from shop.models import Author, Book


def fill():
    Author.objects.bulk_create([Author(id=i, name=f"author {i}") for i in range(1, 11)])
    Book.objects.bulk_create([
        Book(id=i, author_id=1 + (i - 1) // 3, title=f"title {i}", isbn=f"isbn {i}", price=100 + i)
        for i in range(1, 31)])


def titles_and_authors():
    books = Book.objects.select_related("author").filter(id__lte=10).order_by("id")
    return [f"{book.title} by {book.author.name}" for book in books]


def authors_with_books():
    authors = Author.objects.prefetch_related("books").order_by("id")
    return {author.name: len(author.books.all()) for author in authors}


def book(isbn):
    return Book.objects.get(isbn=isbn)


def newest(count):
    return list(Book.objects.order_by("-id")[:count])


def first_of(author):
    return Book.objects.filter(author_id=author).order_by("id").first().title


def add_authors(names):
    with transaction.atomic():
        for name in names:
            Author.objects.create(name=name)


def raise_prices(isbns):
    with transaction.atomic():
        for isbn in isbns:
            Book.objects.filter(isbn=isbn).update(price=F("price") + 1)


def prices(author):
    total = Book.objects.filter(author_id=author).aggregate(total=Sum("price"))["total"]
    return {"total": total, "shipped": total + 5}


def page(number):
    count = Author.objects.count()
    return {"count": count, "pages": -(-count // 5), "number": number}


def kind():
    """A look-up that Django keeps for the process."""
    return ContentType.objects.get_for_model(Book).model


def known_loop():
    books = list(Book.objects.filter(id__gt=10, id__lte=20))
    return [book.author.name for book in books]


def other_list():
    books = list(Book.objects.filter(id__gt=20, id__lte=30))
    return [book.author_id for book in books]
