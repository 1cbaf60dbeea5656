#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unusual states that endanger no file: neither `trace-report locks` nor a recording has a warning about one.

    Tests/Sentinel/peace.py [--samples 20] [STATE...]
"""

import os
import subprocess
import sys
import tempfile

import matrix

# By name: what a connection `c` to the database at P does; it is still open afterwards.
STATES = {
    "immutable": "d = connect(f'file:{P}?immutable=1', uri=True); d.execute('SELECT * FROM sqlite_schema').fetchall()",
    "nolock": "d = connect(f'file:{P}?nolock=1&mode=ro', uri=True); d.execute('SELECT * FROM sqlite_schema').fetchall()"
              " if MODE == 'DELETE' else None",
    "exclusive": "c.execute('PRAGMA locking_mode = EXCLUSIVE'); c.execute('INSERT INTO t VALUES (2)')",
    "exclusive in a transaction": "c.execute('BEGIN EXCLUSIVE'); c.execute('INSERT INTO t VALUES (2)')",
    "backup": "d = connect(P + '.backup'); c.backup(d)",
    "backup under way": "d = connect(P + '.backup'); c.backup(d, pages=1, progress=lambda *_: pause())",
    "vacuum": "c.execute('VACUUM')",
    "vacuum into": "c.execute('VACUUM INTO ?', [P + '.copy'])",
    "serialize": "b = c.serialize(); d = connect(':memory:'); d.deserialize(b)",
    "reader that has not read": "d = connect(P)",
    "reader in a transaction": "d = connect(P); d.execute('BEGIN'); d.execute('SELECT * FROM t').fetchone()",
    "checkpoint": "c.execute('PRAGMA wal_checkpoint(TRUNCATE)')",
    "last connection closes": "c.close(); c = connect(P)",
    "journal mode changes": "c.execute('PRAGMA journal_mode = ' + ('WAL' if MODE == 'DELETE' else 'DELETE'))",
    "symbolic link": "os.symlink(P, P + '.symlink'); d = connect(P + '.symlink'); d.execute('SELECT * FROM t').fetchone()",
    "deleted after it was closed": "c.close(); [os.unlink(P + s) for s in ('', '-wal', '-shm') if os.path.exists(P + s)]; c = connect(P)",
    "copied after it was closed": "c.close(); shutil.copy(P, P + '.copy'); c = connect(P); c.execute('SELECT * FROM t').fetchone()",
    "child with a connection of its own": "pid = os.fork()\nif pid == 0:\n  d = connect(P); d.execute('SELECT * FROM t').fetchone()"
                                          "; os._exit(0)\nos.waitpid(pid, 0)",
    "child that runs another program": "subprocess.run(['true'])",
}

PROGRAM = """
import os, shutil, sqlite3, subprocess, sys
P, MODE, STATE = sys.argv[1:]
connect = lambda *a, **k: sqlite3.connect(*a, isolation_level=None, **k)
is_waiting = True
def pause():
    global is_waiting
    if is_waiting:
        is_waiting = False
        print("ready", flush=True)
        sys.stdin.readline()
c = connect(P)
c.execute("PRAGMA journal_mode = " + MODE)
c.execute("CREATE TABLE IF NOT EXISTS t (a)")
c.executemany("INSERT INTO t VALUES (zeroblob(?))", [[900]] * 40)
exec(STATE)
pause()
"""


def check(state, mode, samples, recorded):
    """ok, or the warnings: of `locks` while the state holds, or of its recording."""
    with tempfile.TemporaryDirectory(prefix="sentinel.") as folder:
        path, recording = os.path.join(folder, "app.db"), os.path.join(folder, "recording")
        script = os.path.join(folder, "program.py")
        with open(script, "w") as file:
            file.write(PROGRAM)
        command = [sys.executable, script, path, mode, STATES[state]]
        if recorded:
            command = [matrix.TOOL, "record", "--log", "-o", recording, "--", *command]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.DEVNULL if recorded else None)
        assert process.stdout.readline() == "ready\n", state
        found = set()
        if not recorded:
            for _ in range(samples):
                found |= {h for h in matrix.hazards(path) if not h.endswith("?")}
        process.communicate("\n", timeout=matrix.LIFE)
        if recorded:
            found = {rule for rule, _ in matrix.findings(recording)}
        return ", ".join(sorted(found)) or "ok"


def main():
    arguments, samples = sys.argv[1:], 20
    if "--samples" in arguments:
        index = arguments.index("--samples")
        samples = int(arguments[index + 1])
        del arguments[index:index + 2]
    failures = 0
    for state in arguments or STATES:
        results = [check(state, mode, samples, recorded) for mode in ["WAL", "DELETE"] for recorded in [False, True]]
        failures += sum(result != "ok" for result in results)
        print(f"{state}: {', '.join(results)}", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
