# SPDX-License-Identifier: Apache-2.0
"""With pytest-xdist, pytest-asyncio and pytest-django."""

import pytest

MANY = """
    import pytest, shop

    @pytest.mark.parametrize("number", range(12))
    def test_loop(database, number):
        shop.authors_in_a_loop(database)

    @pytest.mark.storescope(max_statements=12, ignore=["AvoidQueryInLoop"])
    def test_budget(database):
        shop.authors_in_a_loop(database)
"""


@pytest.mark.parametrize("workers", ["2", "4"])
def test_workers_count_what_one_process_counts(shop, workers):
    pytest.importorskip("xdist")
    shop.tests(MANY)
    single = shop.observe("--storescope-logs", "single")
    several = shop.observe("-n", workers, "--storescope-logs", "several")
    for result in (single, several):
        result.assert_outcomes(passed=12, failed=1)
        result.stdout.fnmatch_lines([
            "StoreScope: 61 statements, and max_statements is 12", "*-- StoreScope --*",
            "793 statements in 13 tests, 1 warning, 0 notes, 0 suppressed"])
    folder = shop.pytester.path
    assert shop.report(*folder.glob("single/*.log")) == shop.report(*folder.glob("several/*/*.log"))
    assert len(list(folder.glob("several/gw*/*.log"))) == int(workers)


def test_a_run_within_a_worker_is_a_run_of_its_own(shop, monkeypatch, tmp_path):
    """The variables of a worker are inherited by the programs that its tests start."""
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw7")
    monkeypatch.setenv("PYTEST_XDIST_TESTRUNUID", "outer")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    outer = tmp_path / "storescope-outer"
    outer.mkdir()
    (outer / "gw7-1.log").write_text("of the outer run")
    shop.tests(MANY)
    for options in ([], ["-n", "2"]):
        result = shop.observe(*options)
        result.stdout.fnmatch_lines(["793 statements in 13 tests, *"])
    assert [log.read_text() for log in outer.iterdir()] == ["of the outer run"]


def test_a_worker_that_crashes_makes_the_run_inconclusive(shop):
    pytest.importorskip("xdist")
    shop.tests("""
        import os, shop

        def test_crash(database):
            shop.authors_in_a_loop(database)
            os._exit(3)

        def test_loop(database):
            shop.authors_in_a_loop(database)
    """)
    result = shop.observe("-n", "1")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["inconclusive: *"])


def test_an_asynchronous_test_has_a_budget(shop):
    pytest.importorskip("pytest_asyncio")
    shop.tests("""
        import asyncio, pytest, shop

        @pytest.mark.asyncio
        @pytest.mark.storescope(max_statements=12)
        async def test_loop(database):
            await asyncio.sleep(0)
            shop.authors_in_a_loop(database)
    """)
    result = shop.observe()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["StoreScope: 61 statements, and max_statements is 12"])


MODELS = """
    from django.db import models

    class Author(models.Model):
        name = models.CharField(max_length=50)
        class Meta: app_label = "library"

    class Book(models.Model):
        author = models.ForeignKey(Author, on_delete=models.CASCADE)
        class Meta: app_label = "library"

    def names(): return [book.author.name for book in Book.objects.all()]
    def prefetched(): return [book.author.name for book in Book.objects.select_related("author")]
"""


def _django(shop):
    folder = shop.pytester.path / "library"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    shop.pytester.makepyfile(settings="""
        DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
        INSTALLED_APPS = ["library"]
        DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
    """)
    made = shop.pytester.makepyfile(models=MODELS)
    made.rename(folder / "models.py")
    shop.pytester.makeini("[pytest]\npythonpath = .\nDJANGO_SETTINGS_MODULE = settings")


@pytest.mark.long
def test_djangos_tests_have_budgets(shop):
    pytest.importorskip("pytest_django")
    _django(shop)
    shop.tests("""
        import pytest
        from django.test import TestCase
        from library.models import Author, Book, names, prefetched

        @pytest.fixture
        def books(db):
            for number in range(30):
                Book.objects.create(author=Author.objects.create(name=str(number)))

        @pytest.mark.storescope(max_statements=1)
        def test_loop(books): assert len(names()) == 30

        @pytest.mark.storescope(max_statements=1)
        def test_join(books): assert len(prefetched()) == 30

        @pytest.mark.django_db(transaction=True)
        def test_transaction(): Author.objects.create(name="a")

        class BookTests(TestCase):
            @pytest.mark.storescope(max_statements=2)
            def test_count(self): assert Book.objects.count() == 0
    """)
    result = shop.observe()
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines([
        "StoreScope: 31 statements, and max_statements is 1", "library/models.py:11: warning: AvoidQueryInLoop"])
