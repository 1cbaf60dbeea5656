# SPDX-License-Identifier: Apache-2.0
"""Every command of Documentation/CI.md, as it stands there, in one repository."""

import os
import re
import subprocess
import sys

import pytest

from conftest import TOP

FAST = "    return [row[0] for row in database.execute(\n        'select name from author join book on author.id = book.author')]\n"
SLOW = """    books = database.execute('select author from book').fetchall()
    return [database.execute('select name from author where id = ?', book).fetchone()[0] for book in books]
"""
TESTS = """
import sqlite3, pytest, shop

@pytest.fixture
def database():
    connection = sqlite3.connect(":memory:")
    connection.execute("create table author (id integer primary key, name text)")
    connection.execute("create table book (id integer primary key, author integer)")
    connection.executemany("insert into author values (?, ?)", [(i, str(i)) for i in range(30)])
    connection.executemany("insert into book values (?, ?)", [(i, i) for i in range(30)])
    return connection

def test_names(database):
    assert len(shop.names(database)) == 30
"""


def _section(title):
    text = (TOP / "Documentation/CI.md").read_text()
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]


def _blocks(title, language=""):
    found = re.findall(r"^ *```(\w*)\n(.*?)^ *```$", _section(title), re.MULTILINE | re.DOTALL)
    return [[line.strip() for line in block.splitlines()] for name, block in found if name == language]


class Repository:
    def __init__(self, folder):
        self.folder = folder
        self._bin = folder / "bin"
        self._bin.mkdir()
        (self._bin / "trace-report").symlink_to(os.environ["STORESCOPE_TOOL"])
        (self._bin / "pytest").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pytest -p no:cacheprovider "$@"\n')
        (self._bin / "pytest").chmod(0o755)
        (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
        (folder / "test_shop.py").write_text(TESTS)
        self.write(FAST)

    def write(self, body):
        (self.folder / "shop.py").write_text(f"def names(database):\n{body}")

    def run(self, commands):
        """Runs commands; returns their exit codes and their output."""
        environment = dict(os.environ, PATH=f"{self._bin}:{os.environ['PATH']}")
        environment.pop("STORESCOPE_TOOL")
        runs = [subprocess.run(
            command, shell=True, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True) for command in commands]
        return [run.returncode for run in runs], "".join(run.stdout for run in runs)


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


def test_two_commands_make_the_first_green_run(repository):
    [[update, compare]] = _blocks("The first green run")
    codes, output = repository.run([compare])
    assert codes == [3] and f"write it with: {update}" in output and "passed" not in output, output
    codes, output = repository.run([update, compare])
    assert codes == [0, 0], output
    assert repository.folder.joinpath(".storescope/baseline.json").exists()


def test_a_pull_request_is_red_until_it_is_fixed_or_accepted(repository):
    repository.run(_blocks("The first green run")[0])
    compare, update = _blocks("In a pull request")
    repository.write(SLOW)
    codes, output = repository.run(compare)
    assert codes == [2] and "shop.py:3" in output, output
    repository.write(FAST)
    assert repository.run(compare)[0] == [0]
    repository.write(SLOW)
    codes, output = repository.run(update)
    assert codes == [0], output
    assert repository.run(compare)[0] == [0]


def test_the_commands_of_the_plugin_run(repository):
    [alone], compared = _blocks("Budgets of a test")
    update, regressions, findings = compared
    codes, output = repository.run([alone, update, regressions, findings])
    assert codes == [0, 0, 0, 0], output
    repository.write(SLOW)
    codes, output = repository.run([regressions, findings])
    assert codes == [1, 1], output


def test_the_exceptions_excuse_the_finding(repository):
    repository.write(SLOW)
    [[check]] = _blocks("Suppressions")
    record = "trace-report record -o pull-request -- pytest -q"
    codes, output = repository.run([record, check])
    assert codes == [0, 2], output
    [exception] = _blocks("Suppressions", "ini")
    repository.folder.joinpath(".storescope-exceptions").write_text("\n".join(exception) + "\n")
    codes, output = repository.run([check])
    assert codes == [0], output


def test_no_command_is_left_out():
    text = (TOP / "Documentation/CI.md").read_text()
    covered = {"The first green run", "In a pull request", "Budgets of a test", "Suppressions"}
    titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [title for title in titles if _blocks(title) and title not in covered] == []
