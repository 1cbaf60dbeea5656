# SPDX-License-Identifier: Apache-2.0
"""The lines of native programs, which the reader finds by their debug information."""

import json
import os
import shutil
import subprocess

from harness import *

LINES = {"INSERT INTO t(b) VALUES(?)": "sqlite3_step(insert)", "SELECT b FROM t LIMIT 7": "sqlite3_get_table(handle"}


def _line_of(text, path):
    return next(number for number, line in enumerate(open(path), 1) if text in line)


def _summary(*command, folder=None, **variables):
    """The callers of each statement in a report of a run, and the notes of the report."""
    log = os.path.join(scratch, "lines.log")
    if os.path.exists(log):
        os.remove(log)
    process, _ = run([*command], variables={"STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": log}, folder=folder)
    expect(process.returncode == 0, process.stderr)
    return _report(log, **variables)


def _report(log, **variables):
    process = report("summary", "--json", "--with-sql", log, variables=variables)
    expect(process.returncode in (0, 3), process.stderr)
    profile = json.loads(process.stdout)
    callers = {statement["sql"]: {(caller["file"], caller["line"]) for caller in statement["callers"]}
               for statement in profile["statements"]}
    return callers, profile["completeness"]["remarks"]


def _expect_lines(callers, folder="Tests/ProbeTests/programs/"):
    for sql, text in LINES.items():
        expected = {(folder + "simple.c", _line_of(text, script("simple.c")))}
        expect(callers[sql] == expected, f"{sql} is of {callers[sql]}, not of {expected}")


def _built(name, *flags):
    """A program in the checkout, so that its files are named from there."""
    folder = os.path.join(BUILD, "lines")
    os.makedirs(folder, exist_ok=True)
    shutil.copy2(compiled("simple", *flags, name=name), os.path.join(folder, name))
    return os.path.join(folder, name)


def lines_of_relocatable_and_other_programs():
    for name, flags in ("lines-pie", ["-pie", "-fPIE"]), ("lines-no-pie", ["-no-pie"]), ("lines-dwarf4", ["-gdwarf-4"]):
        callers, remarks = _summary(_built(name, *flags))
        _expect_lines(callers)
        expect(remarks == [], f"{remarks}")


def lines_of_a_program_that_is_started_from_its_folder():
    program = _built("lines-pie", "-pie", "-fPIE")
    callers, _ = _summary("./" + os.path.basename(program), folder=os.path.dirname(program))
    _expect_lines(callers)


def lines_by_binutils():
    folder = os.path.join(scratch, "binutils")
    os.makedirs(folder, exist_ok=True)
    if not shutil.which("addr2line"):
        raise Skipped("addr2line is not installed")
    if not os.path.exists(os.path.join(folder, "addr2line")):
        os.symlink(shutil.which("addr2line"), os.path.join(folder, "addr2line"))
    for name, flags in ("lines-pie", ["-pie", "-fPIE"]), ("lines-no-pie", ["-no-pie"]):
        callers, _ = _summary(_built(name, *flags), PATH=folder)
        _expect_lines(callers)


def lines_that_cannot_be_found_are_stated():
    callers, remarks = _summary(_built("lines-pie", "-pie", "-fPIE"), PATH=scratch)
    expect(callers["SELECT b FROM t LIMIT 7"] == {("", 0)}, f"{callers}")
    expect(len(remarks) == 1 and "neither llvm-symbolizer nor addr2line is in PATH" in remarks[0], f"{remarks}")
    callers, remarks = _summary(_built("lines-none", "-g0"))
    expect(callers["SELECT b FROM t LIMIT 7"] <= {("", 0), ("main", 0)}, f"{callers}")


def lines_of_a_program_that_was_built_again_are_not_those_of_before():
    program = _built("lines-again", "-pie", "-fPIE")
    log = os.path.join(scratch, "lines.log")
    _expect_lines(_summary(program)[0])
    os.utime(program)
    callers, remarks = _report(log)
    expect(callers["SELECT b FROM t LIMIT 7"] == {("", 0)}, f"{callers}")
    expect(len(remarks) == 1 and "lines-again was changed after it ran" in remarks[0], f"{remarks}")
    os.remove(program)
    _, remarks = _report(log)
    expect(len(remarks) == 1 and "lines-again no longer exists here" in remarks[0], f"{remarks}")


GO = {"CREATE TABLE t(a)": "create", "INSERT INTO t VALUES(?)": "insert", "SELECT a FROM t WHERE a > ?": "list",
      "SELECT count(*) FROM t WHERE a > ?": "count"}


def _expect_lines_of(program, source, statements, name, way="got"):
    compare([program], way=way, language="native")
    callers, remarks = _summary(program)
    for sql, comment in statements.items():
        expected = {(name, _line_of("// " + comment, source))}
        expect(callers[sql] == expected, f"{sql} is of {callers[sql]}, not of {expected}")
    expect(remarks == [], f"{remarks}")


def _built_of_go(name, source, *arguments, has_own_copy=False):
    """A program in Go; with a copy of its own, cgo links that statically, as the usual driver does with the one in its source."""
    installed("go", "/usr/share/gocode/src/github.com/mattn/go-sqlite3")
    program, variables = os.path.join(BUILD, "lines", name), {}
    os.makedirs(os.path.dirname(program), exist_ok=True)
    if has_own_copy:
        archive = "/usr/lib/x86_64-linux-gnu/libsqlite3.a"
        installed(archive)
        folder = os.path.join(scratch, "archive")
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(os.path.join(folder, "libsqlite3.a")):
            os.symlink(archive, os.path.join(folder, "libsqlite3.a"))
        variables["CGO_LDFLAGS"] = f"-g -O2 -L{folder} -lm"
    environment = dict(os.environ, GO111MODULE="off", GOPATH="/usr/share/gocode", GOCACHE=os.path.join(BUILD, "go"), **variables)
    made = subprocess.run(["go", "build", "-tags", "libsqlite3 netgo osusergo", "-o", program, *arguments, script(source)],
                          capture_output=True, text=True, env=environment)
    expect(made.returncode == 0, made.stderr[-500:])
    return program


def lines_of_go():
    """Behind the call of C, which has another stack, also in a goroutine."""
    _expect_lines_of(_built_of_go("go-program", "counted.go"), script("counted.go"), GO, "Tests/ProbeTests/programs/counted.go")


def lines_of_go_with_its_own_copy():
    """Also stripped, and then without lines."""
    _expect_lines_of(_built_of_go("go-own", "counted.go", has_own_copy=True), script("counted.go"), GO,
                     "Tests/ProbeTests/programs/counted.go", way="symbols")
    compare([_built_of_go("go-stripped", "counted.go", "-ldflags", "-s -w", has_own_copy=True)], way="symbols")


def _built_of_rust():
    registry = "/usr/share/cargo/registry"
    installed("cargo", registry)
    folder = os.path.join(BUILD, "rust")
    # Cargo writes beside the source.
    shutil.copytree(script("rust"), folder, dirs_exist_ok=True)
    made = subprocess.run(["cargo", "build", "-q", "--offline", "--config", 'source.crates-io.replace-with="debian"',
                           "--config", f'source.debian.directory="{registry}"'], cwd=folder, capture_output=True, text=True)
    if made.returncode != 0:
        raise Skipped("librust-rusqlite-dev is not installed: " + made.stderr[-200:])
    return os.path.join(folder, "target", "debug", "counted")


def lines_of_rust():
    _expect_lines_of(_built_of_rust(), os.path.join(BUILD, "rust", "src", "main.rs"),
                     {"CREATE TABLE t(a)": "create", "INSERT INTO t VALUES(?1)": "insert",
                      "SELECT count(*) FROM t WHERE a > ?1": "count"}, "src/main.rs")


def _has_rsqlite():
    installed("Rscript")
    if subprocess.run(["Rscript", "-e", "library(RSQLite)"], capture_output=True).returncode != 0:
        raise Skipped("r-cran-rsqlite is not installed")


def lines_of_r_are_unknown():
    """Its driver, RSQLite, contains SQLite: statements are counted, and have no line of a library."""
    _has_rsqlite()
    command = ["Rscript", script("counted.R")]
    compare(command, way="symbols")
    callers, _ = _summary(*command)
    expect(len(callers) >= 5 and all(places <= {("", 0)} for places in callers.values()), f"{callers}")
