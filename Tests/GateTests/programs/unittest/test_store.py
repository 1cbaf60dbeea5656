# SPDX-License-Identifier: Apache-2.0
import os
import tempfile
import unittest

from store import SCHEMA, Store


class Filled:
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = Store(os.path.join(folder.name, "store.db"))
        self.addCleanup(self.store.db.close)
        self.store.db.executescript(SCHEMA)
        with self.store.db as db:
            db.executemany("INSERT INTO author (id, name) VALUES (?, ?)", [(100 + 3 * i, f"author {i}") for i in range(40)])
            db.executemany("INSERT INTO book (title, isbn, author_id) VALUES (?, ?, ?)",
                           [(f"title {i}", f"978-{i}", 100 + 3 * (i * 7 % 40)) for i in range(600)])


class StoreTests(Filled, unittest.TestCase):
    def test_titles(self):
        self.assertEqual(len(self.store.titles()), 600)

    def test_book(self):
        for number in (3, 50, 400):
            self.assertEqual(self.store.book(f"978-{number}")[1], f"title {number}")

    def test_add(self):
        self.store.add([(f"new {i}", f"979-{i}", 100) for i in range(30)])


class NewestTests(Filled, unittest.IsolatedAsyncioTestCase):
    async def test_newest(self):
        self.assertEqual(len(self.store.newest(5)), 5)
