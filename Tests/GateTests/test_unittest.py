# SPDX-License-Identifier: Apache-2.0
"""The same for unittest and Django's runner, whose tests the probe names."""

import json
import os
import subprocess
import sys

import harmless
import pytest
from suites import Suite

COMMANDS = {"unittest": ["-m", "unittest"], "runner": ["manage.py", "test"]}
TESTS = {"unittest": "test_store.py", "runner": "shop/tests.py"}
MIGRATION = harmless.MIGRATION
ONE_MORE = '''    def test_more(self):
        {}

    def test_book(self):'''


def new_test(suite):
    body = {"unittest": "[self.store.book(f'978-{i}') for i in range(20)]",
            "runner": "[self.client.get(f'/book/978-{i}') for i in range(20)]"}[suite.name]
    suite.replace(TESTS[suite.name], "    def test_book(self):", ONE_MORE.format(body))


def removed_test(suite):
    suite.replace(TESTS[suite.name], "def test_titles", "def titles")


def renamed_test(suite):
    suite.replace(TESTS[suite.name], "def test_titles", "def test_all_titles")


def renamed_test_file(suite):
    file = suite.folder / TESTS[suite.name]
    file.rename(file.with_name("test_others.py"))


def new_field(suite):
    if suite.name == "unittest":
        suite.replace("store.py", "isbn TEXT UNIQUE,", "isbn TEXT UNIQUE, year INTEGER,")
    else:
        suite.replace("shop/models.py", "    price =", "    year = models.IntegerField(default=2000)\n    price =")
        suite.write("shop/migrations/0002_year.py", MIGRATION)


def other_order(suite):
    suite.options = {"unittest": ["test_store.NewestTests", "test_store.StoreTests"], "runner": ["--reverse"]}[suite.name]


def two_workers(suite):
    if suite.name == "runner":
        suite.options = ["--parallel", "2"]


CHANGES = [new_test, removed_test, renamed_test, renamed_test_file, new_field, other_order, two_workers]
PLANTS = [
    ("unittest", "test_titles", '''self.db.execute(
            "SELECT b.title, a.name FROM book b JOIN author a ON a.id = b.author_id ORDER BY b.id").fetchall()''',
     '''[(title, self.db.execute("SELECT name FROM author WHERE id = ?", (author,)).fetchone())
                for title, author in self.db.execute("SELECT title, author_id FROM book ORDER BY id").fetchall()]''',
     "[(title, self.db"),
    ("unittest", "test_book", "WHERE isbn = ?", "WHERE upper(isbn) = ?", "upper(isbn)"),
    ("unittest", "test_newest", 'DESC LIMIT ?", (count,)).fetchall()', 'DESC").fetchall()[:count]', "id DESC"),
    ("unittest", "test_add", '''        with self.db:
            for book in books:''', '''        for book in books:
            with self.db:''', "with self.db"),
    ("runner", "test_titles", '.select_related("author")', "", "by {book.author.name}"),
    ("runner", "test_book", "get(isbn=isbn)", "get(isbn__iexact=isbn)", "isbn__iexact"),
    ("runner", "test_newest", 'Book.objects.order_by("-id")[:5]]', 'list(Book.objects.order_by("-id"))[:5]]', "[:5]"),
    ("runner", "test_raise", '''    with transaction.atomic():
        for isbn in request.POST.getlist("isbn"):''', '''    for isbn in request.POST.getlist("isbn"):
        with transaction.atomic():''', "transaction.atomic()"),
]


def recorded(name, folder):
    suite = Suite(name, folder / "suite", COMMANDS[name])
    suite.record()
    return suite


@pytest.mark.parametrize("program", COMMANDS)
@pytest.mark.parametrize("change", [
    pytest.param(change, marks=[pytest.mark.short] if change is new_test else [], id=change.__name__) for change in CHANGES])
def test_a_harmless_change_is_green(tmp_path, program, change):
    suite = recorded(program, tmp_path)
    change(suite)
    verdict = suite.gate()
    assert verdict.code == 0, verdict.cause


@pytest.mark.parametrize("program, test, old, new, line", PLANTS)
def test_a_regression_is_red_at_its_line_and_test(tmp_path, program, test, old, new, line):
    suite = recorded(program, tmp_path)
    suite.replace(suite.code, old, new)
    verdict = suite.gate()
    assert verdict.code == 2, verdict.cause
    assert verdict.is_red_at(suite.code, suite.line(line), test), verdict.cause


NOTICING = """import os, sqlite3, tempfile, unittest.mock

if "GONE" in os.environ:
    os.chdir(tempfile.mkdtemp())
    os.rmdir(os.getcwd())

class Noticing(unittest.TestCase):
    def setUp(self):
        self.db = sqlite3.connect(":memory:")

    def test_environment(self):
        self.db.execute("SELECT 1")
        self.assertNotIn("STORE_TEST_NAME", os.environ)

class Replacing(Noticing):
    def setUp(self):
        super().setUp()
        patch = unittest.mock.patch("os.fsencode", None)
        patch.start()
        self.addCleanup(patch.stop)
"""


@pytest.mark.short
@pytest.mark.parametrize("environment, named", [({}, 2), ({"GONE": "1"}, 0)], ids=["folder", "removed-folder"])
def test_a_test_does_not_notice_its_name(tmp_path, environment, named):
    (tmp_path / "test_noticing.py").write_text(NOTICING)
    trace_report = os.environ["STORESCOPE_TOOL"]
    own = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    run = subprocess.run(
        [trace_report, "record", "--log", "-o", "trace", "--", sys.executable, "-m", "unittest", "test_noticing"],
        cwd=tmp_path, env=own | environment, capture_output=True, text=True)
    assert run.returncode == 0 and "Ran 2 tests" in run.stderr, run.stderr
    report = subprocess.run([trace_report, "summary", "--json", tmp_path / "trace"], capture_output=True, check=True)
    assert (json.loads(report.stdout).get("tests") or {"count": 0})["count"] == named
