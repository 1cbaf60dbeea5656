# SPDX-License-Identifier: Apache-2.0
"""A small program for the tests of the plugin; `make test-pytest` names the tool and the probe."""

import json
import os
import subprocess

import pytest

pytest_plugins = ["pytester"]

PROGRAM = """
    def make(database, count=60):
        database.execute("create table author (id integer primary key, name text)")
        database.execute("create table book (id integer primary key, author integer, title text)")
        database.executemany("insert into author values (?, ?)", [(i, f"name {i}") for i in range(count)])
        database.executemany("insert into book values (?, ?, ?)", [(i, i, f"title {i}") for i in range(count)])

    def authors_in_a_loop(database):
        books = database.execute("select id, author from book").fetchall()
        return [database.execute("select name from author where id = ?", book[1:]).fetchone() for book in books]

    def authors_with_a_join(database):
        return database.execute("select name from book join author on author.id = book.author").fetchall()
"""

FIXTURE = """
    import sqlite3
    import pytest
    import shop

    @pytest.fixture
    def database():
        connection = sqlite3.connect(":memory:")
        shop.make(connection)
        yield connection
        connection.close()
"""


class Shop:
    """A program with a loop of look-ups, and its tests."""

    def __init__(self, pytester):
        self.pytester = pytester
        pytester.makepyfile(shop=PROGRAM)
        pytester.makeconftest(FIXTURE)
        pytester.makeini("[pytest]\npythonpath = .\nasyncio_default_fixture_loop_scope = function")

    def tests(self, text, name="test_shop"):
        self.pytester.makepyfile(**{name: text})

    def run(self, *arguments):
        return self.pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)

    def observe(self, *arguments):
        return self.run("--storescope", *arguments)

    def report(self, *inputs):
        """The work of each test without the times, as trace-report counts it."""
        output = subprocess.run(
            [os.environ["STORESCOPE_TOOL"], "summary", "--json", *map(str, inputs)], capture_output=True, text=True)
        tests = json.loads(output.stdout)["profile"]["observed"]["tests"]
        return {test["name"]: {
            key: count for key, count in test["work"].items() if not key.endswith("Time")} for test in tests}


@pytest.fixture
def shop(pytester):
    return Shop(pytester)
