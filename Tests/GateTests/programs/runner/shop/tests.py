# SPDX-License-Identifier: Apache-2.0
from django.test import TestCase, TransactionTestCase

from .models import Author, Book


def fill():
    authors = Author.objects.bulk_create([Author(name=f"a{i}") for i in range(50)])
    Book.objects.bulk_create([Book(title=f"t{i}", isbn=f"978-{i}", author=authors[i * 7 % 50]) for i in range(700)])


class ViewTests(TestCase):
    @classmethod
    def setUpTestData(cls):
        fill()

    def test_titles(self):
        self.assertEqual(len(self.client.get("/titles").json()), 40)

    def test_book(self):
        for i in (3, 7):
            self.assertEqual(self.client.get(f"/book/978-{i}").json(), {"title": f"t{i}"})

    def test_newest(self):
        self.assertEqual(len(self.client.get("/newest").json()), 5)


class PriceTests(TransactionTestCase):
    def setUp(self):
        fill()

    def test_raise(self):
        self.client.post("/raise", {"isbn": [f"978-{i}" for i in range(30)]})
        self.assertEqual(Book.objects.filter(price=4).count(), 30)


class AsyncTests(TestCase):
    def setUp(self):
        fill()

    async def test_async(self):
        self.assertEqual(await Book.objects.filter(price=3).acount(), 700)
        self.assertEqual((await Book.objects.aget(isbn="978-3")).title, "t3")
