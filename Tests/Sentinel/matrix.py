#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hazards of a database in programs of several kinds, in WAL and DELETE mode: `trace-report locks` names each, with its process;
and recorded, those that a program causes itself are named at their lines.

    Tests/Sentinel/matrix.py [--short] [--samples 100] [PROGRAM...]

Programs: shell, python, pysqlite3, apsw, c, node, php, store; one that is not installed is listed as missing. The last column is a
healthy run of the program: no sample of `locks` has a warning, and its recording has none either.
"""

import collections
import json
import os
import shutil
import signal
import sqlite3  # noqa: F401  its library is the second copy
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("STORESCOPE_BIN", os.path.join(ROOT, ".build", "debug"))
TOOL = os.path.join(BIN, "trace-report")
HOLDER = os.path.join(BIN, "lock-holder")
# A program ends itself after this time, so that nothing waits for longer.
LIFE = 300

# MARK: - The programs: each reads commands, and prints "done" after each


PYTHON = """
import ctypes, importlib, os, signal, sys, time
signal.alarm(%d)
driver, P = sys.argv[1:3]
if driver == "apsw":
    import apsw
    connect, options = apsw.Connection, {}
else:
    connect = importlib.import_module("sqlite3" if driver == "python" else driver).connect
    options = {"isolation_level": None, "timeout": 10}
c = connect(P, **options)
for line in sys.stdin:
    name, _, argument = line.rstrip("\\n").partition(" ")
    if name == "sql":
        list(c.execute(argument))
    elif name == "raw":
        open(argument).close()  # raw
    elif name == "unlink":
        os.unlink(argument)  # unlink
    elif name == "replace":
        open(argument + ".new", "wb").write(open(argument + ".copy", "rb").read())
        os.rename(argument + ".new", argument)  # replace
    elif name == "copy":
        L = ctypes.CDLL(argument); h = ctypes.c_void_p()
        L.sqlite3_open(P.encode(), ctypes.byref(h))
        L.sqlite3_exec(h, b"SELECT * FROM t", None, None, None)  # copy
    elif name == "link":
        os.link(P, argument)
        d = connect(argument, **options)  # opens
        try: list(d.execute("SELECT * FROM t"))  # link
        except Exception: pass
    elif name == "fork":
        if os.fork() == 0:
            signal.alarm(%d)
            list(c.execute("BEGIN IMMEDIATE")); list(c.execute("INSERT INTO t VALUES (3)"))  # fork
            print("done", flush=True)
            if argument != "end":
                time.sleep(%d)
            os._exit(0)
        continue
    print("done", flush=True)
""" % (LIFE, LIFE, LIFE)

C = r"""
#include <dlfcn.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static sqlite3 *db;
static char line[4096], *argument;
int main(int count, char **arguments) {
  alarm(LIFE);
  sqlite3_open(arguments[1], &db);
  sqlite3_busy_timeout(db, 10000);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    argument = strchr(line, ' ') + 1;
    if (!strncmp(line, "sql", 3)) sqlite3_exec(db, argument, 0, 0, 0);
    if (!strncmp(line, "raw", 3)) close(open(argument, O_RDONLY));  // raw
    if (!strncmp(line, "unlink", 6)) unlink(argument);  // unlink
    if (!strncmp(line, "replace", 7)) {
      static char copy[4200];
      snprintf(copy, sizeof copy, "%s.copy", argument);
      rename(copy, argument);  // replace
    }
    if (!strncmp(line, "copy", 4)) {
      void *copy = dlopen(argument, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
      int (*open_)(const char *, sqlite3 **) = dlsym(copy, "sqlite3_open");
      int (*exec)(sqlite3 *, const char *, void *, void *, void *) = dlsym(copy, "sqlite3_exec");
      sqlite3 *other;
      open_(arguments[1], &other);
      exec(other, "SELECT * FROM t", 0, 0, 0);  // copy
    }
    if (!strncmp(line, "link", 4)) {
      sqlite3 *other;
      link(arguments[1], argument);
      sqlite3_open(argument, &other);
      sqlite3_exec(other, "SELECT * FROM t", 0, 0, 0);  // link
    }
    if (!strncmp(line, "fork", 4)) {
      if (fork()) continue;
      alarm(LIFE);
      sqlite3_exec(db, "BEGIN IMMEDIATE; INSERT INTO t VALUES (3)", 0, 0, 0);  // fork
      puts("done"); fflush(stdout);
      if (strcmp(argument, "end")) pause();
      _exit(0);
    }
    puts("done"); fflush(stdout);
  }
}
""".replace("LIFE", str(LIFE))

NODE = """
const fs = require("fs"), { DatabaseSync } = require("node:sqlite");
const db = new DatabaseSync(process.argv[2]);
setTimeout(() => process.exit(1), %d).unref();
db.exec("PRAGMA busy_timeout = 10000");
require("readline").createInterface({ input: process.stdin }).on("line", line => {
  const name = line.split(" ", 1)[0], argument = line.slice(name.length + 1);
  if (name == "sql") db.exec(argument);
  if (name == "raw") fs.readFileSync(argument);  // raw
  if (name == "unlink") fs.unlinkSync(argument);  // unlink
  if (name == "replace") fs.renameSync(argument + ".copy", argument);  // replace
  if (name == "link") {
    fs.linkSync(process.argv[2], argument);
    const other = new DatabaseSync(argument);  // opens
    try { other.prepare("SELECT * FROM t").all(); } catch {}  // link
  }
  console.log("done");
}).on("close", () => db.close());
""" % (LIFE * 1000)

PHP = """<?php
$db = new PDO("sqlite:" . $argv[1]);
$db->setAttribute(PDO::ATTR_TIMEOUT, 10);
while (($line = fgets(STDIN)) !== false) {
    [$name, $argument] = explode(" ", rtrim($line), 2);
    if ($name == "sql") $db->query($argument)->fetchAll();
    if ($name == "raw") file_get_contents($argument);  // raw
    if ($name == "unlink") unlink($argument);  // unlink
    if ($name == "replace") rename("$argument.copy", $argument);  // replace
    if ($name == "link") {
        link($argv[1], $argument);
        $other = new PDO("sqlite:" . $argument);
        try { $other->query("SELECT * FROM t")->fetchAll(); } catch (Exception $e) {}  // link
    }
    echo "done\\n";
}
"""


class Missing(Exception):
    pass


class Program:
    """One program with a database open."""

    def __init__(self, name, path, mode, recording=None):
        self.name, self.path, self.mode = name, path, mode
        command = getattr(self, "start_" + name)()
        if recording:
            command = [TOOL, "record", "--log", "-o", recording, "--", *command]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL if recording else None, text=True, start_new_session=True)
        if name != "store":
            for sql in [f"PRAGMA journal_mode = {mode}", "CREATE TABLE IF NOT EXISTS t (a)", "INSERT INTO t VALUES (1)"]:
                self.do("sql " + sql)

    @property
    def pid(self):
        return self.process.pid

    def start_python(self):
        return [sys.executable, self.script("program.py", PYTHON), self.name, self.path]

    def script(self, name, text):
        """The path of a source file beside the database."""
        path = os.path.join(os.path.dirname(self.path), name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def start_node(self):
        node = shutil.which("node")
        if not node or subprocess.run([node, "-e", "require('node:sqlite')"], stderr=subprocess.DEVNULL).returncode:
            raise Missing("node with node:sqlite")
        return [node, self.script("program.js", NODE), self.path]

    def start_php(self):
        if not shutil.which("php") or subprocess.run(["php", "-r", "new PDO('sqlite::memory:');"], stdout=subprocess.DEVNULL).returncode:
            raise Missing("php with pdo_sqlite")
        return ["php", self.script("program.php", PHP), self.path]

    def start_module(self):
        if subprocess.run([sys.executable, "-c", f"import {self.name}"], stderr=subprocess.DEVNULL).returncode:
            raise Missing(self.name)
        return self.start_python()

    start_pysqlite3 = start_apsw = start_module

    def start_shell(self):
        if not shutil.which("sqlite3"):
            raise Missing("sqlite3")
        return ["timeout", "--foreground", str(LIFE), "sqlite3", self.path]

    def start_c(self):
        source, binary = self.script("program.c", C), self.path + ".out"
        if subprocess.run(["cc", "-g", "-o", binary, source, "-lsqlite3", "-ldl"], stderr=subprocess.DEVNULL).returncode:
            raise Missing("cc or sqlite3.h")
        return [binary, self.path]

    def start_store(self):
        if self.mode != "WAL":
            raise Missing("a store without a log")
        return ["timeout", "--foreground", str(LIFE), HOLDER, "store", self.path, self.path + ".times", self.path + ".stop"]

    def do(self, command):
        if self.name == "shell":
            kind, _, argument = command.partition(" ")
            # The shell opens and closes the file itself.
            sql = argument if kind == "sql" else f"SELECT length(readfile('{argument}'))"
            command = f"{sql};\n.print done"
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"{self.name} ended at: {command}")
            if line.strip() == "done":
                return

    def wait_for_rows(self):
        """A store that saves: until it has its log."""
        end = time.monotonic() + 20
        while time.monotonic() < end and not (os.path.exists(self.path + ".times") and os.path.getsize(self.path + ".times") > 200):
            time.sleep(0.05)

    def finish(self):
        """Ends its input, and waits for it."""
        self.process.stdin.close()
        self.process.wait(LIFE)

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait(10)


# MARK: - The hazards


def begin(program):
    program.do("sql BEGIN IMMEDIATE")
    program.do("sql INSERT INTO t VALUES (2)")


def raw_close(program):
    program.other = Program("python", program.path, program.mode)
    begin(program)
    program.do(f"raw {program.path}")


def raw_close_index(program):
    begin(program)
    program.do(f"raw {program.path}-shm")


def copy_of_sqlite(path):
    """A second copy of the library beside a database."""
    library = next((line.split()[-1] for line in open(f"/proc/{os.getpid()}/maps") if "/libsqlite3.so" in line), None)
    if not library:
        raise Missing("libsqlite3.so")
    return shutil.copy(library, path + ".so")


def two_copies(program):
    program.do(f"copy {copy_of_sqlite(program.path)}")


def replace(suffix):
    def change(program):
        path = program.path + suffix
        with open(path + ".new", "wb") as file, open(path, "rb") as old:
            file.write(old.read())
        os.rename(path + ".new", path)
    return change


def hard_link(program):
    other = program.path + ".link"
    os.link(program.path, other)
    program.other = Program("python", other, program.mode)


def remove_journal(program):
    begin(program)
    os.unlink(program.path + "-journal")


IN_PROCESS = {"raw close", "raw close of -shm", "two copies", "after fork"}
# By name: what is done, and what `locks` prints in each mode; "?" is a note.
HAZARDS = {
    "raw close": (raw_close, {"WAL": "lostLocks", "DELETE": "lostLocks"}),
    "raw close of -shm": (raw_close_index, {"WAL": "lostLocks"}),
    "two copies": (two_copies, {"WAL": "severalImages", "DELETE": "possiblySeveralImages?"}),
    "deleted -wal": (lambda program: os.unlink(program.path + "-wal"), {"WAL": "deletedLog"}),
    "replaced -shm": (replace("-shm"), {"WAL": "replacedWALIndex"}),
    "replaced database": (replace(""), {"WAL": "replacedDatabase", "DELETE": "replacedDatabase"}),
    "after fork": (lambda program: program.do("fork x"), {"WAL": "usedAfterFork"}),
    "hard link": (hard_link, {"WAL": "severalLogs", "DELETE": "otherName"}),
    "deleted journal": (remove_journal, {"DELETE": "deletedJournal"}),
}


# By name: what the program does, the rule that is reported at the line with that comment, and the modes.
RECORDED = {
    "raw close": (["raw PATH"], "DoNotOpenDatabaseFile", "raw", {"WAL", "DELETE"}),
    "raw close of -shm": (["raw PATH-shm"], "DoNotOpenDatabaseFile", "raw", {"WAL"}),
    "deleted -wal": (["unlink PATH-wal"], "KeepWriteAheadLog", "unlink", {"WAL"}),
    "replaced -shm": (["replace PATH-shm"], "KeepWriteAheadLog", "replace", {"WAL"}),
    "replaced database": (["replace PATH"], "KeepWriteAheadLog", "replace", {"WAL", "DELETE"}),
    "deleted journal": (["sql BEGIN IMMEDIATE", "sql INSERT INTO t VALUES (2)", "unlink PATH-journal"],
                        "KeepWriteAheadLog", "unlink", {"DELETE"}),
    "after fork": (["fork end"], "DoNotUseAfterFork", "fork", {"WAL", "DELETE"}),
    "two copies": (["copy PATH.so"], "OneSQLitePerProcess", "copy", {"WAL", "DELETE"}),
    "hard link": (["link PATH.link"], "OneNamePerDatabase", "link", {"WAL", "DELETE"}),
    "healthy": (["sql BEGIN IMMEDIATE", "sql INSERT INTO t VALUES (2)", "sql COMMIT"], None, None, {"WAL", "DELETE"}),
}
RULES = {"DoNotOpenDatabaseFile", "KeepWriteAheadLog", "DoNotUseAfterFork", "OneSQLitePerProcess", "OneNamePerDatabase",
         "KeepDatabaseLocal", "HandleCorruption"}
SOURCES = {"c": C, "node": NODE, "php": PHP}


def findings(recording):
    """The rules and lines of the warnings that are about files."""
    run = subprocess.run([TOOL, "summary", recording, "--json"], capture_output=True, text=True, timeout=120)
    found = [f for f in json.loads(run.stdout)["findings"] if f["rule"] in RULES and f["severity"] == "warning"]
    return sorted({(f["rule"], (f.get("caller") or {}).get("line", 0)) for f in found})


def check_recorded(name, mode, hazard):
    """What a recording has for a hazard: ok, or what was found instead; "" where the program cannot have it."""
    commands, rule, mark, modes = RECORDED[hazard]
    only_reads = name == "shell" and mark not in {"raw", None}
    if mode not in modes or name == "store" or only_reads or (mark in {"fork", "copy"} and name in {"node", "php"}):
        return ""
    with tempfile.TemporaryDirectory(prefix="sentinel.") as folder:
        path = os.path.join(folder, "app.db")
        program = Program(name, path, mode, recording=os.path.join(folder, "recording"))
        try:
            for suffix in ["", "-shm"]:
                if os.path.exists(path + suffix):
                    shutil.copy(path + suffix, path + suffix + ".copy")
            if mark == "copy":
                copy_of_sqlite(path)
            for command in [*commands, "sql SELECT * FROM t"]:
                program.do(command.replace("PATH", path))
            program.finish()
            found = findings(os.path.join(folder, "recording"))
            if mark == "link":
                # In WAL mode its first statement fails, and some programs print that.
                found = [(rule, line) for rule, line in found if rule != "HandleCorruption"]
        finally:
            program.end()
    if mark == "link" and mode == "WAL" and name in {"pysqlite3", "apsw", "node"}:
        # The only statement under the second name is not prepared, which is not observed in a copy without slots.
        mark = "opens"
    source = SOURCES.get(name, PYTHON).splitlines()
    lines = [number for number, line in enumerate(source, 1) if mark and line.endswith(f"/ {mark}") or line.endswith(f"# {mark}")]
    # The shell has no debug information.
    expected = [] if not rule else [rule] if name == "shell" else [(rule, line) for line in lines]
    return "ok" if expected == ([r for r, _ in found] if name == "shell" else found) else str(found)


def hazards(path):
    run = subprocess.run([TOOL, "locks", path, "--json"], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return [h["kind"] + ("?" if h["severity"] == "note" else "") for h in json.loads(run.stdout)["hazards"]]


def check(name, mode, hazard):
    """What is printed for a hazard: ok, or what was found instead; "" where the program cannot have it."""
    change, expected = HAZARDS[hazard]
    if mode not in expected or (name == "store" and (hazard in IN_PROCESS or mode != "WAL")):
        return ""
    # A store ends with an error instead of writing into such a file.
    if name == "store" and hazard in {"deleted -wal", "replaced database"}:
        return ""
    if (name == "shell" and hazard in {"two copies", "after fork"}) or (
            name in {"node", "php"} and hazard in {"two copies", "after fork"}):
        return ""
    with tempfile.TemporaryDirectory(prefix="sentinel.") as folder:
        program = Program(name, os.path.join(folder, "app.db"), mode)
        program.other = None
        try:
            if name == "store":
                program.wait_for_rows()
            change(program)
            found = hazards(program.path)
            return "ok" if expected[mode] in found else ",".join(found) or "none"
        finally:
            program.end()
            if program.other:
                program.other.end()


def check_network(name, mode):
    """As on sshfs: bindfs shows a folder under the type of that file system."""
    if not shutil.which("bindfs"):
        return ""
    with tempfile.TemporaryDirectory(prefix="sentinel.") as folder:
        mounted = os.path.join(folder, "remote")
        os.makedirs(mounted)
        if subprocess.run(["bindfs", "-o", "subtype=sshfs", mounted, mounted], stderr=subprocess.DEVNULL).returncode:
            return ""
        try:
            # A store reports its statements itself.
            recording = os.path.join(folder, "recording") if name != "store" else None
            program = Program(name, os.path.join(mounted, "app.db"), mode, recording=recording)
            try:
                if name == "store":
                    program.wait_for_rows()
                found = hazards(program.path)
                if found[:1] != ["networkFileSystem"]:
                    return str(found)
                if recording:
                    program.do("sql SELECT * FROM t")
                    program.finish()
            finally:
                program.end()
            recorded = findings(recording) if recording else []
            is_named = [rule for rule, line in recorded if line > 0 or name == "shell"] == ["KeepDatabaseLocal"]
            return "ok" if not recording or is_named else f"recorded: {recorded}"
        finally:
            subprocess.run(["umount", "--lazy", mounted])


def check_healthy(name, mode, samples):
    with tempfile.TemporaryDirectory(prefix="sentinel.") as folder:
        program = Program(name, os.path.join(folder, "app.db"), mode)
        try:
            if name == "store":
                program.wait_for_rows()
            counts = collections.Counter()
            for number in range(samples):
                if name != "store":
                    program.do("sql " + ["BEGIN IMMEDIATE", "INSERT INTO t VALUES (2)", "COMMIT", "SELECT * FROM t"][number % 4])
                counts.update(h for h in hazards(program.path) if not h.endswith("?"))
            return "ok" if not counts else str(dict(counts))
        finally:
            program.end()


def main():
    arguments, samples = sys.argv[1:], 40
    if "--short" in arguments:
        arguments.remove("--short")
        samples = 4
    if "--samples" in arguments:
        index = arguments.index("--samples")
        samples = int(arguments[index + 1])
        del arguments[index:index + 2]
    failures = 0
    for name in arguments or ["shell", "python", "pysqlite3", "apsw", "c", "node", "php", "store"]:
        for mode in ["WAL", "DELETE"]:
            try:
                results = {hazard: check(name, mode, hazard) for hazard in HAZARDS}
                results["network file system"] = check_network(name, mode)
                results["healthy"] = check_healthy(name, mode, samples)
                results.update({hazard + " recorded": check_recorded(name, mode, hazard) for hazard in RECORDED})
            except Missing as missing:
                print(f"{name} {mode}: missing: {missing}", flush=True)
                continue
            failures += sum(result not in {"", "ok"} for result in results.values())
            print(f"{name} {mode}: " + ", ".join(f"{h}: {r}" for h, r in results.items() if r), flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
