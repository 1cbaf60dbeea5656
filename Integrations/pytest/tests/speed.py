#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a suite of 500 tests without the plugin and with it, run by run: speed.py [RUNS]

Prints the ratio of the medians, of the elapsed and of the processor time; each includes pytest's own start and
the reports of trace-report.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SUITES = {
    "plain sqlite3, 24 statements each": ("""
import sqlite3, pytest

@pytest.fixture
def database():
    connection = sqlite3.connect(":memory:")
    connection.execute("create table book (id integer primary key, title text)")
    connection.executemany("insert into book values (?, ?)", [(i, f"title {i}") for i in range(10)])
    connection.commit()
    yield connection
    connection.close()

@pytest.mark.parametrize("number", range(500))
def test_books(database, number):
    for i in range(8):
        assert database.execute("select title from book where id = ?", (i,)).fetchone() == (f"title {i}",)
    database.execute("update book set title = ? where id = 3", ("new",))
    database.commit()
    assert database.execute("select count(*) from book").fetchone() == (10,)
""", {}),
    "Django with pytest-django": ("""
import pytest
from library.models import Author, Book

@pytest.fixture
def books(db):
    for number in range(5):
        Book.objects.create(author=Author.objects.create(name=str(number)))

@pytest.mark.parametrize("number", range(500))
def test_books(books, number):
    assert len([book.author.name for book in Book.objects.select_related("author")]) == 5
    assert Book.objects.filter(author__name="3").count() == 1
""", {
        "library/__init__.py": "",
        "library/models.py": """
from django.db import models
class Author(models.Model):
    name = models.CharField(max_length=50)
class Book(models.Model):
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
""",
        "settings.py": """
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
INSTALLED_APPS = ["library"]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
""",
        "pytest.ini": "[pytest]\npythonpath = .\nDJANGO_SETTINGS_MODULE = settings\n"}),
}


# An installed plugin is compiled.
environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(folder, *options):
    """Returns the elapsed and the processor time of a run."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options], cwd=folder, capture_output=True,
        text=True, env=environment)
    elapsed, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if "500 passed" not in process.stdout:
        raise SystemExit(process.stdout[-1000:] + process.stderr[-1000:])
    return elapsed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(text, files, runs):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in {"test_books.py": text, **files}.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(content)
        plain, observed = zip(*[(run(folder), run(folder, "--storescope")) for _ in range(runs)])
    return [[statistics.median(times) for times in zip(*side)] for side in (plain, observed)]


for name, (text, files) in SUITES.items():
    plain, observed = measure(text, files, int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    ratios = [b / a for a, b in zip(plain, observed)]
    print(f"{name}: {plain[0]:.2f} s, with the plugin {observed[0]:.2f} s: {ratios[0]:.2f} × elapsed, "
          f"{ratios[1]:.2f} × processor time")
