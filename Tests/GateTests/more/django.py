# SPDX-License-Identifier: Apache-2.0
from django.test import TestCase
from shop import shelf

COUNT = 0


class TestMore(TestCase):
    @classmethod
    def setUpTestData(cls):
        shelf.fill()


def add(number):
    def more(self):
        if number % 2:
            assert shelf.book("isbn 7").title == "title 7"
            assert len(shelf.newest(5)) == 5
        else:
            assert shelf.page(1)["pages"] == 2
            assert shelf.prices(1)["total"] == 306
    setattr(TestMore, f"test_more_{number:04}", more)


for number in range(COUNT):
    add(number)
