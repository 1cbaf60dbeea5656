# SPDX-License-Identifier: Apache-2.0
"""What a program does with the file of a database that it has open in SQLite."""

import os
import shutil
import subprocess
import sys
import tempfile

from harness import *

# By the case of touches.c: the operations and kinds of files that are reported.
REPORTED = {
    **dict.fromkeys(["open", "openat", "open_link", "fopen", "freopen", "dup", "dup2", "dup3", "close_range",
                     "opened_before", "signal", "syscalls"], [("close", "database")]),
    **dict.fromkeys(["truncate_on_open", "fopen_w", "creat"], [("truncate", "database"), ("close", "database")]),
    **dict.fromkeys(["truncate", "ftruncate"], [("truncate", "database")]),
    **dict.fromkeys(["unlinkat", "remove"], [("delete", "database")]),
    "unlink_wal": [("delete", "wal")],
    **dict.fromkeys(["rename", "renameat", "renameat2"], [("rename", "database")]),
    "replace": [("replace", "database")],
    **dict.fromkeys(["nothing", "stat", "path_only", "held", "unlink_link", "vfork", "fork", "cloexec_range"], []),
}


def _touches(lines):
    return [(event["operation"], event["file"]) for event in events(lines, "database_file_touched")]


def _in_folder(command, variables=(), name=None):
    """The lines of the log. With a name, the path is relative."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        path = name or os.path.join(folder, "app.db")
        process, lines = run([argument.replace("PATH", path) for argument in command], level=1, variables=variables,
                             folder=folder if name else None)
        expect(process.returncode == 0, process.stderr[-500:])
        return lines


def _found_lines(command):
    """The lines that are reported for a command with the path of a database."""
    lines = _in_folder(command)
    callers = {event["caller_id"]: int(event.get("line", 0)) for event in events(lines, "caller")}
    return [callers.get(event.get("caller_id")) for event in events(lines, "database_file_touched")]


def _script(name, text):
    path = os.path.join(scratch, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def _compare(*flags, name):
    program = compiled("touches", *flags, name=name)
    for case, expected in REPORTED.items():
        found = _touches(_in_folder([program, "PATH", case]))
        expect(found == expected, f"{case}: reported {found}, not {expected}")


def file_operations_are_reported():
    _compare(name="touches")


def fortified_file_operations_are_reported():
    _compare("-D_FORTIFY_SOURCE=2", "-D_FILE_OFFSET_BITS=64", name="touches64")


def the_name_of_a_database_is_found_after_many_other_files():
    """Without its name, a file is looked up only among the first 1,024, and then one of 256."""
    program = compiled("touches", name="touches")
    for case in ("open", "openat", "fopen", "dup2", "syscalls", "truncate_on_open", "truncate", "unlink_wal", "rename", "replace"):
        for name in (None, "app.sqlite3", "data", "abc", "db", "./a"):
            found = _touches(_in_folder([program, "PATH", case, "3000"], name=name))
            expect(found == REPORTED[case], f"{case} of {name}: reported {found}, not {REPORTED[case]}")


# Each line that is reported ends in a comment.
LINES = """
import os, shutil, sqlite3, sys
P = sys.argv[1]
if len(sys.argv) > 2:
    sqlite3 = __import__(sys.argv[2])
connect = getattr(sqlite3, "connect", None) or sqlite3.Connection
c = connect(P)
list(c.execute("PRAGMA journal_mode = WAL"))
list(c.execute("CREATE TABLE t (a)"))
def header():
    with open(P, "rb") as file:  # reported
        return file.read(16)
header()
shutil.copy(P, P + ".copy")  # reported
os.close(os.open(P + "-shm", os.O_RDONLY))  # reported
open(P + ".copy").close()
os.stat(P), os.path.getsize(P), os.listdir(os.path.dirname(P))
shutil.copy(P + ".copy", P + ".other")
other = connect(P + ".other")
list(other.execute("CREATE TABLE u (a)"))
if hasattr(c, "iterdump"):
    c.backup(other)
other.close()
list(c.execute("ATTACH ? AS x", (P + ".other",)))
open(P + ".other").close()  # reported
list(c.execute("DETACH x"))
open(P + ".other").close()
os.unlink(P + "-wal")  # reported
c.close()
open(P).close()
os.unlink(P)
"""


def _compare_lines(python, *driver):
    found = _found_lines([python, _script("touches.py", LINES), "PATH", *driver])
    expected = [number for number, line in enumerate(LINES.splitlines(), 1) if line.endswith("# reported")]
    expect(found == expected, f"reported lines {found}, not {expected}")


def lines_of_file_operations_in_python():
    _compare_lines(sys.executable)


def lines_of_file_operations_beside_apsw():
    imported(PYTHON, "apsw")
    _compare_lines(PYTHON, "apsw")


def lines_of_file_operations_beside_pysqlite3():
    imported(PYTHON, "pysqlite3")
    _compare_lines(PYTHON, "pysqlite3")


FORK = """
import os, sqlite3, sys
def child(work):
    if os.fork() == 0:
        work()
        os._exit(0)
    os.wait()
c = sqlite3.connect(sys.argv[1])
m = sqlite3.connect(":memory:")
c.execute("CREATE TABLE t (a)")
child(lambda: None)
child(lambda: c.close())
child(lambda: m.execute("SELECT 1").fetchall())
child(lambda: sqlite3.connect(sys.argv[1]).execute("SELECT * FROM t").fetchall())
child(lambda: c.execute("SELECT * FROM t").fetchall())
"""


def a_connection_used_after_fork_is_reported_once():
    lines = _in_folder([sys.executable, "-c", FORK, "PATH"])
    expect(_touches(lines) == [("fork", "database")], f"reported {_touches(lines)}")


NODE = """
const fs = require("fs"), { DatabaseSync } = require("node:sqlite");
const P = process.argv[2], db = new DatabaseSync(P);
db.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
fs.readFileSync(P);  // reported
fs.unlinkSync(P + "-wal");  // reported
db.prepare("SELECT * FROM t").all();
fs.statSync(P);
db.close();
fs.readFileSync(P);
"""


def lines_of_file_operations_in_node():
    node = next((path for path in (os.path.join(os.path.dirname(PYTHON), "node"), shutil.which("node") or "") if
                 os.path.exists(path) and subprocess.run([path, "-e", "require('node:sqlite')"],
                                                         capture_output=True).returncode == 0), None)
    if not node:
        raise Skipped("node with node:sqlite is not installed")
    found = _found_lines([node, _script("touches.js", NODE), "PATH"])
    expect(found == [5, 6], f"reported lines {found}")


RUBY = """
require "sqlite3"
p = ARGV[0]
db = SQLite3::Database.new(p)
db.execute("CREATE TABLE t (a)")
File.read(p, 16)
File.open(p, "rb") { |file| file.read(16) }
File.stat(p)
Thread.new { File.read(p) }.join
db.execute("SELECT * FROM t")
db.close
File.read(p)
"""


def lines_of_file_operations_in_ruby():
    installed("ruby")
    if subprocess.run(["ruby", "-e", "require 'sqlite3'"], capture_output=True).returncode != 0:
        raise Skipped("the gem sqlite3 is not installed")
    found = _found_lines(["ruby", _script("touches.rb", RUBY), "PATH"])
    expect(found == [6, 7, 9], f"reported lines {found}")


PHP = """<?php
$p = $argv[1]; $db = new PDO("sqlite:$p"); $db->exec("CREATE TABLE t (a)");
file_get_contents($p);
copy($p, "$p.copy");
filesize($p);
$db->query("SELECT * FROM t")->fetchAll(); $db = null;
file_get_contents($p);
"""


def lines_of_file_operations_in_php():
    installed("php")
    found = _found_lines(["php", _script("touches.php", PHP), "PATH"])
    expect(found == [3, 4], f"reported lines {found}")
