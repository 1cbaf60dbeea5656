# SPDX-License-Identifier: Apache-2.0
"""The test suites of others: under the probe they end as they end without it."""

import glob
import os
import re
import shutil
import subprocess
import tarfile

from harness import *

FOLDER = os.path.join(BUILD, "suites")


def _same_result(command, pattern, folder=None):
    """Runs a suite without the probe, with it, and recorded, and prints how many tests ran."""
    def result(**arguments):
        process, lines = run(command, timeout=600, folder=folder, **arguments)
        found = re.search(pattern, process.stdout + process.stderr)
        expect(found, f"{process.returncode} {(process.stdout + process.stderr)[-300:]}")
        return (process.returncode, *found.groups()), lines
    (plain, _), (loaded, _), (recorded, lines) = result(probe=False), result(), result(level=1)
    expect(plain[0] == 0 and plain == loaded == recorded, f"{plain} {loaded} {recorded}")
    count = len(events(lines, "statement_run"))
    expect(count > 0, "no statement was recorded")
    print(f"    {plain[1]}, {count} statements recorded")


def _source(package):
    """The folder of a package's source, which has its tests."""
    imported(PYTHON, package)
    version = subprocess.run([PYTHON, "-m", "pip", "show", package], capture_output=True, text=True).stdout
    name = package + "-" + re.search(r"Version: (\S+)", version).group(1)
    folder = os.path.join(FOLDER, name)
    if not os.path.exists(folder):
        archives = glob.glob(os.path.join(FOLDER, name + ".tar.gz"))
        if not archives:
            raise Skipped(name + ".tar.gz is not in " + FOLDER)
        with tarfile.open(archives[0]) as archive:
            archive.extractall(FOLDER)
    return folder


def cpythons_test_sqlite3():
    python = next((path for path in (shutil.which("python3"), "/usr/bin/python3") if path and subprocess.run(
        [path, "-c", "import test.test_sqlite3"], capture_output=True).returncode == 0), None)
    if not python:
        raise Skipped("no python3 here has test.test_sqlite3")
    _same_result([python, "-m", "test", "-v", "test_sqlite3"], r"(Ran \d+ tests)")


def sqlalchemys_tests_of_its_sqlite_dialect():
    folder = _source("sqlalchemy")
    _same_result([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test/dialect/sqlite", "--db", "sqlite"],
                 r"(\d+ passed(?:, \d+ skipped)?)", folder)


def djangos_tests_of_queries_and_transactions():
    folder = os.path.join(_source("django"), "tests")
    _same_result([PYTHON, "runtests.py", "--settings=test_sqlite", "--parallel=1", "basic", "lookup", "bulk_create",
                  "transactions", "aggregation", "prefetch_related"], r"(Ran \d+ tests)", folder)
