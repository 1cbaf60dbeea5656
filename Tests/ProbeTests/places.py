# SPDX-License-Identifier: Apache-2.0
"""The line that runs each statement: how often, and whether it belongs to the program."""

import collections
import os
import shutil
import subprocess
import sys
import zipapp

from harness import *
from trouble import _with_own_copy

QUERY = "c.execute(Q, (1,)).fetchall()"


def _places(command, **arguments):
    """How often each place, `file:line`, ran a statement; "" is unknown."""
    process, lines = run(command, level=1, **arguments)
    expect(process.returncode == 0, process.stderr[-500:])
    places = {event["caller_id"]: f"{os.path.basename(event.get('file', '')) or event.get('function', '')}:"
                                  f"{event.get('line', '0')}" for event in events(lines, "caller")}
    runs = events(lines, "statement_run")
    return collections.Counter(places.get(run.get("caller_id", "0"), "") for run in runs)


def _written(folder, **files):
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(folder, name + ".py"), "w") as file:
            file.write(text)
    return folder


def _project(*parts):
    folder = os.path.join(scratch, *parts)
    os.makedirs(folder, exist_ok=True)
    return folder


def _expect_counted(command, program, comment="# ", **variables):
    """Runs a program that prints `place TEXT COUNT` for its lines with the comment TEXT, and compares its counts, but for 0."""
    plain, _ = run(command, probe=False)
    expect(plain.returncode == 0, plain.stderr[-500:])
    name, marker = os.path.basename(program), "  " + comment
    lines = {line.rsplit(marker, 1)[1].rstrip(): number for number, line in enumerate(open(program), 1) if marker in line}
    counted = dict(line.split()[1:] for line in plain.stdout.splitlines() if line.startswith("place "))
    expected = {f"{name}:{lines[place]}": int(count) for place, count in counted.items()}
    places = _places(command, variables=variables)
    expected.update({place: places[place] for place, count in expected.items() if count == 0})
    expect(places == expected, f"{name}: {dict(places)}, not {expected}")


DATABASE = "import sqlite3\nc = sqlite3.connect(':memory:')\nQ = 'SELECT 1 + ?'\n"


def counts_of_two_lines_of_python_are_exact():
    program = os.path.join(_written(_project("two-lines"), two=DATABASE + (
        "for block in range(40):\n"
        "    for i in range(15):\n"
        "        c.execute(Q, (i,)).fetchone()\n"
        "    c.execute(Q, (15,)).fetchone()\n")), "two.py")
    places = _places([sys.executable, program])
    expect(places == {"two.py:6": 600, "two.py:7": 40}, f"{places}")


def counts_of_threads_of_python_are_exact():
    program = os.path.join(_written(_project("request"), request=(
        "import sqlite3, threading\n"
        "def request():\n"
        "    c = sqlite3.connect(':memory:')\n"
        "    for i in range(10):\n"
        "        c.execute('SELECT 1 + ?', (i,)).fetchall()\n"
        "for i in range(40):\n"
        "    thread = threading.Thread(target=request)\n"
        "    thread.start()\n"
        "    thread.join()\n")), "request.py")
    places = _places([sys.executable, program])
    expect(places == {"request.py:5": 400}, f"{places}")


def counts_of_threads_of_python_that_compete_are_exact():
    """A thread that computes has the interpreter's lock: the line is then read without it."""
    program = os.path.join(_written(_project("busy"), busy=(
        "import sqlite3, threading\n"
        "is_done = False\n"
        "def compute():\n"
        "    while not is_done: sum(range(1000))\n"
        "threading.Thread(target=compute).start()\n" + DATABASE +
        "for i in range(60):\n"
        "    c.execute(Q, (i,)).fetchall()\n"
        "    c.execute(Q, (i,)).fetchall()\n"
        "is_done = True\n")), "busy.py")
    places = _places([sys.executable, program])
    expect(places == {"busy.py:10": 60, "busy.py:11": 60}, f"{places}")


def counts_of_a_module_with_its_own_sqlite_follow_its_lines():
    imported(PYTHON, "sqlean")
    program = os.path.join(_written(_project("two-lines-of-sqlean"), two=DATABASE.replace("sqlite3", "sqlean") + (
        "for block in range(40):\n"
        "    for i in range(15):\n"
        "        c.execute(Q, (i,)).fetchone()\n"
        "    c.execute(Q, (15,)).fetchone()\n")), "two.py")
    places = _places([PYTHON, program])
    expect(places == {"two.py:6": 600, "two.py:7": 40}, f"{places}")


def _native(what):
    process, lines = run([compiled("callers"), what], level=1)
    expect(process.returncode == 0, process.stderr)
    return collections.Counter(run.get("caller_id", "0") for run in events(lines, "statement_run"))


def one_native_line_is_sampled():
    places = _native("one")
    expect(len(places) == 2 and sum(places.values()) == 600 and 500 < places["0"] < 570, f"{places}")


def two_native_lines_are_looked_up_at_each_run():
    """Once the second one is seen, which a sample of runs may see late."""
    expect(sorted(_native("alternating").values()) == [40, 600], f"{_native('alternating')}")
    places = _native("two")
    late = sorted(places.values())
    expect(len(places) == 3 and sum(late) == 800 and late[1] >= 200 - 23, f"{places}")


def native_threads_are_looked_up():
    places = _native("threads")
    expect(places["0"] == 0 and sum(places.values()) == 400, f"{places}")


def folders_named_like_a_library_are_the_programs():
    for name in "django", "dataset", "databases", "pandas", "peewee-blog", "sqlalchemy":
        folder = _written(_project("named", name), queries=DATABASE + QUERY)
        program = os.path.join(_written(_project("named"), main="import queries\n"), "main.py")
        for command in [sys.executable, program], [sys.executable, "-m", "main"]:
            places = _places(command, folder=os.path.dirname(program), variables={"PYTHONPATH": folder})
            expect(places == {"queries.py:4": 1}, f"{name}: {places}")


def helpers_that_the_program_names_are_skipped():
    project = _project("helpers")
    _written(os.path.join(project, "store"), db="def query(c, sql, *values):\n    return c.execute(sql, values).fetchall()\n")
    program = os.path.join(_written(project, web=(
        "import sqlite3\nfrom store.db import query\n"
        "c = sqlite3.connect(':memory:')\n"
        "for i in range(3):\n    query(c, 'SELECT 1 + ?', i)\n"
        "query(c, 'SELECT 2')\n")), "web.py")
    for skip, expected in ((None, {"db.py:2": 4}), ("store/", {"web.py:5": 3, "web.py:6": 1}),
                           (":no.py::helpers/store/db.py:", {"web.py:5": 3, "web.py:6": 1}),
                           # With no other line of the program, the innermost one is the caller.
                           ("db.py:web.py", {"db.py:2": 4}), ("", {"db.py:2": 4}), ("x" * 5000, {"db.py:2": 4})):
        variables = {} if skip is None else {"STORE_CALLERS_SKIP": skip}
        places = _places([sys.executable, program], variables=variables)
        expect(places == expected, f"{skip}: {places}")


def a_line_that_runs_many_forms_for_several_lines_is_a_helper():
    project = _project("found")
    folder = _written(project, db=(
        "import sqlite3\nc = sqlite3.connect(':memory:')\n"
        "def run(sql, *values):\n    return c.execute(sql, values).fetchall()\n"
        "def query(sql, *values):\n    return run(sql, *values)\n"))
    forms = [f"SELECT {name}" for name in ("1", "'a'", "NULL", "random()", "abs(1)", "max(1, 2)", "hex(1)", "1 = 2")]
    lines = "".join(f"query({sql!r})\n" for sql in forms)
    # The fifth form shows it, and those with other values are no others.
    program = _written(folder, web="from db import query\n" + lines + "for i in range(3):\n    query('SELECT ?', i)\n")
    known = _places([sys.executable, os.path.join(program, "web.py")])
    expect(known == {"db.py:4": 5, "web.py:7": 1, "web.py:8": 1, "web.py:9": 1, "web.py:11": 3}, f"{known}")
    # A line that runs a list, and the lines of tests, which run in any order, stay as they are.
    _written(folder, one=f"from db import query\nfor sql in {forms!r}:\n    query(sql)\n")
    places = _places([sys.executable, os.path.join(folder, "one.py")])
    expect(places == {"db.py:4": len(forms)}, f"{places}")
    places = _places([sys.executable, os.path.join(folder, "web.py")], variables={"STORE_TEST_NAME": "test_web"})
    expect(places["db.py:4"] == 11, f"{places}")


def a_zipapp_is_the_programs():
    folder = _written(_project("zipped"), __main__=DATABASE + QUERY)
    archive = os.path.join(scratch, "django.pyz")
    zipapp.create_archive(folder, archive)
    expect(_places([sys.executable, archive]) == {"__main__.py:4": 1}, f"{_places([sys.executable, archive])}")


def _installed(*parts):
    """A project with a virtual environment within it, whose package `shop` runs a statement by a library."""
    project = _project(*parts)
    packages = os.path.join(project, ".venv", "lib", "python3.11", "site-packages")
    for name in "shop", "dataset":
        _written(os.path.join(packages, name), __init__="")
    _written(os.path.join(packages, "dataset"), table="def load(c):\n    return c.execute('SELECT 1').fetchall()\n")
    _written(os.path.join(packages, "shop"), cli=(
        "import sqlite3, dataset.table\n"
        "def main():\n"
        "    dataset.table.load(sqlite3.connect(':memory:'))\n"))
    return project, packages


def a_virtual_environment_within_the_project_is_a_library():
    project, packages = _installed("with-environment")
    _written(project, app="import shop.cli\nshop.cli.main()\n")
    places = _places([sys.executable, os.path.join(project, "app.py")], variables={"PYTHONPATH": packages})
    expect(places == {"app.py:2": 1}, f"{places}")


LAUNCHERS = {
    "pip": "import re\nimport sys\nfrom shop.cli import main\nif __name__ == '__main__':\n"
           "    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])\n    sys.exit(main())\n",
    "setuptools": "# EASY-INSTALL-ENTRY-SCRIPT: 'shop'\nimport sys\ndef load_entry_point():\n    import shop.cli\n"
                  "    return shop.cli.main\nif __name__ == '__main__':\n    sys.exit(load_entry_point()())\n",
    "debian": "from shop import cli\nif __name__ == \"__main__\":\n    cli.main()\n",
}


def a_launcher_is_no_line_of_the_program():
    project, packages = _installed("launched")
    for name, text in LAUNCHERS.items():
        program = os.path.join(_project("launched", ".venv", "bin"), name)
        with open(program, "w") as file:
            file.write("#!/usr/bin/python3\n" + text)
        places = _places([sys.executable, program], variables={"PYTHONPATH": packages})
        expect(places == {"cli.py:3": 1}, f"{name}: {places}")


def a_package_that_was_started_is_the_program():
    """Also above a library that is no library of databases; a server starts the program of others."""
    project, packages = _installed("started")
    for name in "cachelib", "gunicorn":
        _written(os.path.join(packages, name), __init__="")
    _written(os.path.join(packages, "cachelib"), store="def get(c):\n    return c.execute('SELECT 1').fetchall()\n")
    _written(os.path.join(packages, "gunicorn"), app="import shop.cached\ndef run():\n    shop.cached.main()\n",
             __main__="from gunicorn.app import run\nrun()\n")
    _written(os.path.join(packages, "shop"), __main__="from shop.cached import main\nmain()\n", cached=(
        "import sqlite3, cachelib.store\n"
        "def main():\n"
        "    cachelib.store.get(sqlite3.connect(':memory:'))\n"))
    for package, module, function, expected in (("shop", "cached", "main", "cached.py:3"),
                                                ("gunicorn", "app", "run", "store.py:2")):
        program = os.path.join(_project("started", ".venv", "bin"), package)
        with open(program, "w") as file:
            file.write(f"#!/usr/bin/python3\nimport sys\nfrom {package}.{module} import {function}\n"
                       f"if __name__ == '__main__':\n    sys.exit({function}())\n")
        for command in [program], ["-m", package], ["-X", "dev", "-m", package]:
            places = _places([sys.executable, *command], variables={"PYTHONPATH": packages})
            expect(places == {expected: 1}, f"{command}: {places}")


def functions_of_sqlite_are_no_callers():
    """Of a copy within the program whose symbols are exported."""
    program = _with_own_copy("threads", "-rdynamic", "-g0", name="threads-exporting")
    process, lines = run([program, "1"], level=1)
    functions = {event.get("function", "") for event in events(lines, "caller")}
    expect(process.returncode == 0 and functions and not any(name.startswith("sqlite3") for name in functions),
           f"{functions}")


def a_script_in_bin_is_the_programs():
    _, packages = _installed("scripts")
    for text, line in ((DATABASE + "if __name__ == '__main__':\n    c.execute(Q, (1,))\n", 6),
                       ("import shop.cli\nshop.cli.main()\n", 3)):
        program = os.path.join(_project("scripts", "bin"), "report")
        with open(program, "w") as file:
            file.write("#!/usr/bin/python3\n" + text)
        places = _places([sys.executable, program], variables={"PYTHONPATH": packages})
        expect(places == {f"report:{line}": 1}, f"{places}")


def a_driver_without_lines_is_no_caller():
    """Tcl's: its functions are in a shared library without debug information."""
    installed("tclsh")
    if subprocess.run(["tclsh"], capture_output=True, input=b"exit [catch {package require sqlite3}]").returncode != 0:
        raise Skipped("libsqlite3-tcl is not installed")
    places = _places(["tclsh", script("counted.tcl")])
    expect(set(places) <= {"", ":0"}, f"{places}")
    process, lines = run([compiled("simple", "-rdynamic", "-g0", name="simple-exporting")], level=1)
    functions = {event.get("function") for event in events(lines, "caller")}
    expect("main" in functions, f"a program's own function is its caller: {functions}")


def java_is_named_by_its_class():
    for arguments, name in ((["-cp", "/long/name.jar:" * 1000, "Main"], "java Main"),
                            (["-cp", "a.jar:.", "-Xmx64m", "shop.Main", "-cp"], "java shop.Main"),
                            (["-Dx=y", "-jar", "/no/such/shop.jar", "x"], "java shop.jar"),
                            (["--class-path", ".", "--add-opens", "a/b=C", "Main"], "java Main"),
                            (["-m", "shop/shop.Main"], "java shop/shop.Main")):
        found = _name_of([_named("java"), *arguments])
        expect(found == name, f"{found}, not {name}")


def _named(name):
    """A program of ours by the name of an interpreter."""
    path = os.path.join(_project("named-programs"), name)
    if not os.path.exists(path):
        shutil.copy2(compiled("simple"), path)
    return path


def _name_of(command):
    return events(run(command, level=1)[1], "connection_opened")[0]["process_name"]


NOTEBOOK = """\
import nbclient, nbformat, sys
cells = ["import sqlite3\\ndb = sqlite3.connect(':memory:')",
         "def show(i):\\n    return db.execute('select ?', (i,)).fetchall()\\nfor i in range(5): show(i)",
         "[db.execute('select 2').fetchall() for i in range(3)]\\nshow(1)"]
if len(sys.argv) > 1:
    cells[0] += "\\nimport threading\\ndef compute():\\n    while True: sum(range(1000))\\n"
    cells[0] += "threading.Thread(target=compute, daemon=True).start()"
    cells[1] = cells[1].replace("range(5)", "range(300)")
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
nbclient.NotebookClient(book, timeout=60).execute()
"""


def cells_of_jupyter_have_their_numbers():
    """And neither a file of the kernel's process nor a hash of the text, beside a thread that computes as well. IPython
    keeps its history in SQLite."""
    for module in "nbclient", "ipykernel":
        imported(PYTHON, module)
    program = os.path.join(_written(_project("notebook"), run=NOTEBOOK), "run.py")
    for argument, count in ([], 5), (["computes"], 300):
        places = _places([PYTHON, program, *argument], variables={"IPYTHONDIR": _project("ipython")})
        cells = {place: count for place, count in places.items() if not place.startswith("history.py")}
        expect(cells == {"In[2]:2": count + 1, "In[3]:1": 3}, f"{cells}")


def files_of_a_frozen_program_are_named_from_their_roots():
    """As by PyInstaller: those of libraries of databases are no callers."""
    installed("/usr/bin/python3")
    program = os.path.join(_written(_project("frozen"), main=(
        "library = compile('def run(c): c.execute(\"SELECT 1\")', 'sqlalchemy/engine/default.py', 'exec')\n"
        "app = compile('import sqlite3\\nrun(sqlite3.connect(\":memory:\"))', 'shop/app.py', 'exec')\n"
        "exec(library)\nexec(app)\n")), "main.py")
    frozen = os.path.join(_project("frozen"), "shop")
    if not os.path.exists(frozen):
        os.symlink("/usr/bin/python3", frozen)
    for command, expected in (frozen, "app.py:2"), ("/usr/bin/python3", "default.py:1"):
        places = _places([command, program])
        expect(places == {expected: 1}, f"{command}: {places}")


SHOP = """\
import asyncio, sqlite3, sys
import aiosqlite
from store import titles
statements = rows = 0
def count(found):
    global statements, rows
    statements, rows = statements + 1, rows + len(found)
def run():
    db = sqlite3.connect(":memory:", isolation_level=None)
    count(db.execute("CREATE TABLE book(title)").fetchall())  # create
    for i in range(20):
        count(db.execute("INSERT INTO book VALUES(?)", (str(i),)).fetchall())  # insert
    for i in range(5): count(titles(db, i))
    db.close()
async def tasks():
    async with aiosqlite.connect(":memory:") as db:
        for i in range(7):
            count(await db.execute_fetchall("SELECT ?", (i,)))  # task
asyncio.run(tasks()) if len(sys.argv) > 1 else run()
print("counts", statements, rows)
"""


def _packed(option):
    """A program that PyInstaller made, once."""
    for module in "PyInstaller", "aiosqlite":
        imported(PYTHON, module)
    installed("objdump")
    folder = _written(_project("packed"), shop=SHOP, store=(
        "def titles(db, i):\n    return db.execute('SELECT title FROM book LIMIT ?', (i,)).fetchall()\n"))
    made = os.path.join(folder, option.strip("-"))
    if not os.path.exists(made):
        subprocess.run([PYTHON, "-m", "PyInstaller", option, "--distpath", made, "--workpath", os.path.join(folder, "build"),
                        "--specpath", folder, "--log-level", "ERROR", os.path.join(folder, "shop.py")], check=True,
                       capture_output=True)
    return os.path.join(made, "shop" if option == "--onefile" else "shop/shop")


def _expect_lines_of_packed(option, *arguments, **expected):
    compare([_packed(option), *arguments], language="python")
    places = _places([_packed(option), *arguments])
    lines = {line.split("  # ")[1]: f"shop.py:{number}" for number, line in enumerate(SHOP.splitlines(), 1) if "  # " in line}
    expected = {lines.get(place, place + ".py:2"): count for place, count in expected.items()}
    expect(places == expected, f"{option}: {dict(places)}, not {expected}")


def lines_of_a_program_of_pyinstaller():
    """In one file, which unpacks its libraries and starts itself again, and in a folder."""
    for option in "--onefile", "--onedir":
        _expect_lines_of_packed(option, create=1, insert=20, store=5)


def lines_of_tasks_in_a_program_of_pyinstaller():
    """Python's own modules are named from their roots as well, `threading.py`."""
    _expect_lines_of_packed("--onefile", "tasks", task=7)
