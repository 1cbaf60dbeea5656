# SPDX-License-Identifier: Apache-2.0
"""Changes that no gate may report: each takes a suite whose baseline is written, and changes it."""

import re

ORDER = """

def pytest_collection_modifyitems(items):
    items.{order}
"""


def nothing(suite):
    pass


def new_test(suite):
    suite.write("test_new.py", suite.read("test_shop.py").replace("def test_", "def test_also_"))


def new_test_first(suite):
    text = suite.read("test_shop.py")
    first = text.index("\n\ndef test_")
    tests = text[first:]
    suite.write("test_shop.py", text[:first] + tests.replace("def test_", "def test_before_") + tests)


def removed_test(suite):
    parts = re.split(r"(?m)^(?=def test_)", suite.read("test_shop.py"))
    suite.write("test_shop.py", "".join(parts[:1] + parts[3:]))


def renamed_test(suite):
    suite.replace("test_shop.py", "def test_titles(", "def test_titles_of_books(")
    suite.replace("test_shop.py", "def test_known_loop(", "def test_loop(")


def renamed_test_file(suite):
    (suite.folder / "test_shop.py").rename(suite.folder / "test_store.py")


def parametrized_test(suite):
    text = suite.read("test_shop.py").replace("def test_book(", '@pytest.mark.parametrize("n", [1, 2])\ndef test_book(n, ')
    suite.write("test_shop.py", text.replace("\n", "\nimport pytest\n", 1))


def lines_above(suite):
    for file in (suite.code, "test_shop.py"):
        suite.write(file, suite.read(file).replace("\n", "\nimport os\n\n\nFOLDER = os.getcwd()\n", 1))


def renamed_module(suite):
    old, new = suite.folder / suite.code, suite.folder / suite.code.replace(".py", "s.py")
    old.rename(new)
    for file in ("test_shop.py", "conftest.py"):
        text = suite.read(file)
        if suite.name == "django":
            text = text.replace("import shelf", "import shelfs as shelf")
        else:
            text = text.replace("import shop", "import shops as shop")
        suite.write(file, text)


def renamed_function(suite):
    for file in (suite.code, "test_shop.py"):
        suite.write(file, suite.read(file).replace("known_loop", "accepted_loop"))


def reversed_order(suite):
    suite.write("conftest.py", suite.read("conftest.py") + ORDER.format(order="reverse()"))


def shuffled(suite):
    # pytest-django runs tests with transactions last; each of them empties Django's caches.
    order = "sort(key=lambda item: ('transactional_db' in item.fixturenames, hash(item.name) % 7))"
    suite.write("conftest.py", suite.read("conftest.py") + ORDER.format(order=order))
    suite.environment["PYTHONHASHSEED"] = "3"


def two_workers(suite):
    suite.options += ["-n", "2"]


def four_workers(suite):
    suite.options += ["-n", "4"]


def groups_of_workers(suite):
    suite.write("test_shop.py", suite.read("test_shop.py").replace(
        "\n", "\nimport pytest\n\npytestmark = pytest.mark.xdist_group('shop')\n", 1))
    suite.options += ["-n", "2", "--dist", "loadgroup"]


def selected(suite):
    suite.options += ["-k", "newest or page or known"]


FIELDS = {
    "plain": [
        ("shop.py", "price INTEGER NOT NULL);", "price INTEGER NOT NULL, year INTEGER DEFAULT 2000);"),
        ("shop.py", "SELECT id, title FROM book ORDER", "SELECT id, title, year FROM book ORDER"),
        ("shop.py", 'f"SELECT id, title FROM', 'f"SELECT id, year, title FROM'),
    ],
    "sqlalchemy": [
        ("shop.py", "    price = Column(Integer, nullable=False)\n",
         "    price = Column(Integer, nullable=False)\n    year = Column(Integer, default=2000)\n"),
    ],
    "django": [
        ("shop/models.py", "    price = models.IntegerField()\n",
         "    price = models.IntegerField()\n    year = models.IntegerField(default=2000)\n"),
    ],
}
MIGRATION = """from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [migrations.AddField("Book", "year", models.IntegerField(default=2000))]
"""


def new_field(suite):
    for change in FIELDS[suite.name]:
        suite.replace(*change)
    if suite.name == "django":
        suite.write("shop/migrations/0002_book_year.py", MIGRATION)


def other_aliases(suite):
    """Of the plain program; those of the ORMs differ by their versions."""
    if suite.name == "plain":
        suite.replace(
            "shop.py", "SELECT b.title, a.name FROM book b JOIN author a ON a.id = b.author_id WHERE b.id < 10",
            'SELECT T1.\\"title\\", T2.\\"name\\" FROM \\"book\\" AS T1 INNER JOIN \\"author\\" AS T2 '
            'ON T2.\\"id\\" = T1.\\"author_id\\" WHERE T1.\\"id\\" < 10;')
        suite.replace("shop.py", "SELECT id, title FROM book WHERE isbn = ?", "select title, id from book where isbn = ?")
        suite.replace("shop.py", "def book(db, isbn):", "def book(db, isbn):\n    return _book(db, isbn)[::-1]\n\n\ndef _book(db, isbn):")
    else:
        suite.environment["PYTHONPATH"] = suite.older_version


def slower_machine(suite):
    suite.write("conftest.py", suite.read("conftest.py") + """

@pytest.fixture(autouse=True)
def slow():
    import multiprocessing
    import time
    burning = [multiprocessing.get_context("fork").Process(target=time.sleep, args=(0.3,)) for _ in range(2)]
    for process in burning:
        process.start()
    yield
    for process in burning:
        process.join()
""")


def _setup(suite, sql):
    suite.write("conftest.py", suite.read("conftest.py").replace('SETUP = ""', f'SETUP = "{sql}"'))


def write_ahead_log(suite):
    _setup(suite, "PRAGMA journal_mode = WAL")


def vacuum(suite):
    _setup(suite, "VACUUM")


CHANGES = [
    nothing, new_test, new_test_first, removed_test, renamed_test, renamed_test_file, parametrized_test, lines_above,
    renamed_module, renamed_function, reversed_order, shuffled, two_workers, four_workers, groups_of_workers, selected,
    new_field, other_aliases, slower_machine, write_ahead_log, vacuum,
]
# The ones of the short form.
SHORT = [new_test_first, renamed_module, two_workers, new_field]
