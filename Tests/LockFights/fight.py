#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets programs fight over one database, and compares `trace-report locks` with what they wrote down.

    Tests/LockFights/fight.py [--samples 1000] [--pin 60] [--seconds 10] [NAME...]

Two Python programs, a program with a Swift store (with a rollback journal: one with a plain connection) and
the sqlite3 shell write down when they asked for the writer lock, held it, released it, and had released it.
"""

import bisect
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("STORESCOPE_BIN", os.path.join(ROOT, ".build", "debug"))
TOOL = os.path.join(BIN, "trace-report")
PROBE = os.environ.get("STORESCOPE_PROBE", os.path.join(ROOT, ".build", "probe", "libstorescope-probe.so"))
HOLDER = os.path.join(BIN, "lock-holder")

# MARK: - The programs


class Times:
    """Four lines a turn: before the lock was asked for, when it was held, before its release, after it."""

    def __init__(self, path):
        self.file = open(path, "w")

    def note(self):
        self.file.write(f"{time.clock_gettime_ns(time.CLOCK_REALTIME)}\n")
        self.file.flush()


def write_python(path, times, stop):
    db = sqlite3.connect(path, timeout=120, isolation_level=None)
    times = Times(times)
    while not os.path.exists(stop):
        times.note()
        db.execute("BEGIN IMMEDIATE")
        times.note()
        db.execute("INSERT INTO turn VALUES (1)")
        time.sleep(random.uniform(0, 0.015))
        times.note()
        db.execute("COMMIT")
        times.note()
        time.sleep(random.uniform(0, 0.004))


def write_shell(path, times, stop):
    """The sqlite3 shell, told by a pipe what to do; it answers with a line when it has done it."""
    shell = subprocess.Popen(["sqlite3", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    print(shell.pid, flush=True)

    def do(sql):
        shell.stdin.write(sql + "\nSELECT 'done';\n")
        shell.stdin.flush()
        while shell.stdout.readline().strip() != "done":
            pass

    do(".timeout 120000")
    times = Times(times)
    while not os.path.exists(stop):
        times.note()
        do("BEGIN IMMEDIATE;")
        times.note()
        do("INSERT INTO turn VALUES (1);")
        time.sleep(random.uniform(0, 0.015))
        times.note()
        do("COMMIT;")
        times.note()
        time.sleep(random.uniform(0, 0.004))
    shell.stdin.close()
    shell.wait()


def read_for_long(path, stop):
    """A transaction that reads once and stays open."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN")
    db.execute("SELECT count(*) FROM turn").fetchall()
    print(os.getpid(), flush=True)
    while not os.path.exists(stop):
        time.sleep(0.01)


# MARK: - The fight


class Fight:
    def __init__(self, mode):
        self.folder = tempfile.mkdtemp(prefix="lock-fight.")
        self.path = os.path.join(self.folder, "app.db")
        self.stop = os.path.join(self.folder, "stop")
        self.programs = {}
        self.helpers = []
        if mode == "wal":
            self.start("store", [HOLDER, "store", self.path])
            # Not by a query: one that waits for the store's creation waits for no transaction.
            while not self.turns("store"):
                time.sleep(0.05)
        db = sqlite3.connect(self.path, timeout=120)
        db.execute("CREATE TABLE turn(a)")
        db.close()
        if mode != "wal":
            self.start("driver", [HOLDER, "driver", self.path])
        for name in ["python1", "python2"]:
            self.start(name, [sys.executable, __file__, "--python", self.path])
        self.start("shell", [sys.executable, __file__, "--shell", self.path])
        while not all(self.turns(name) for name in self.programs):
            time.sleep(0.05)

    def start(self, name, command):
        times = os.path.join(self.folder, name)
        process = subprocess.Popen(command + [times, self.stop], stdout=subprocess.PIPE, text=True)
        self.helpers.append(process)
        self.programs[name] = int(process.stdout.readline()) if name == "shell" else process.pid

    def turns(self, name):
        path = os.path.join(self.folder, name)
        lines = open(path).read().split() if os.path.exists(path) else []
        return [tuple(map(int, lines[i:i + 4])) for i in range(0, len(lines) - 3, 4)]

    def end(self):
        open(self.stop, "w").close()
        for process in self.helpers:
            process.wait()

    def sample(self, count):
        """The states that `locks` prints."""
        command = [TOOL, "locks", self.path, "--json", "--watch", "10ms", "--count", str(count)]
        run = subprocess.run(command, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        samples = [json.loads(line) for line in run.stdout.splitlines()]
        warnings = [h for sample in samples for h in sample.get("hazards", []) if h["severity"] == "warning"]
        assert not warnings, warnings[0]
        return samples


def holders(turns, begin, end):
    """Who held the lock through the whole of an interval, and who may have held it within."""
    certain, possible = set(), set()
    for name, list in turns.items():
        at = bisect.bisect(list, (begin,))
        for asked, held, releasing, released in list[max(0, at - 2):at + 200]:
            if asked > end:
                break
            if released > begin:
                possible.add(name)
            if held <= begin and releasing >= end:
                certain.add(name)
    return certain, possible


def check_names(mode, count):
    """Compares each sample with what the programs wrote down."""
    fight = Fight(mode)
    states = fight.sample(count)
    fight.end()
    turns = {name: fight.turns(name) for name in fight.programs}
    names = {pid: name for name, pid in fight.programs.items()}
    held = wrong = 0
    for state in states:
        certain, possible = holders(turns, state["observedFromNs"], state["observedUntilNs"])
        found = {names.get(w["process"]["pid"], str(w["process"]["pid"])) for w in state["writers"]}
        held += len(certain) > 0
        if not certain <= found or not found <= possible:
            wrong += 1
            print(f"  {mode}: named {found or '{}'}, certain {certain or '{}'}, possible {possible or '{}'}")
    print(f"{mode}: {len(states)} samples, in {held} of them the lock was certainly held, {wrong} wrong")
    assert len(states) == count and wrong == 0
    # A fight in which nobody is seen proves nothing.
    assert held > count / 10, held


def check_pin(seconds):
    """A reader that pins the log is named as long as it does."""
    fight = Fight("wal")
    stop = os.path.join(fight.folder, "stop-reader")
    reader = subprocess.Popen([sys.executable, __file__, "--reader", fight.path, stop],
                              stdout=subprocess.PIPE, text=True)
    pid = int(reader.stdout.readline())
    first = fight.sample(1)[0]
    end = time.monotonic() + seconds
    named = samples = 0
    while time.monotonic() < end:
        for state in fight.sample(10):
            samples += 1
            named += any(r["process"]["pid"] == pid and r["pinsLog"] for r in state["readers"])
        time.sleep(min(1, seconds / 10))
    last = fight.sample(1)[0]
    open(stop, "w").close()
    reader.wait()
    after = fight.sample(1)[0]
    fight.end()
    print(f"pin: named in {named} of {samples} samples; the log grew from {first['walBytes']} to {last['walBytes']} bytes")
    assert named == samples, (named, samples)
    assert last["walBytes"] > first["walBytes"]
    assert not any(r["process"]["pid"] == pid for r in after["readers"])


def check_trace(seconds):
    """In a trace of the fight, each wait names the transaction that held the lock, its statement and its line."""
    folder = tempfile.mkdtemp(prefix="lock-trace.")
    trace = os.path.join(folder, "trace")
    run = subprocess.run([TOOL, "record", "-o", trace, "--", sys.executable, __file__, "--fight", str(seconds)],
                         capture_output=True, text=True, env={**os.environ, "STORESCOPE_PROBE": PROBE})
    assert run.returncode == 0, run.stderr
    report = subprocess.run([TOOL, "summary", "--json", trace], capture_output=True, text=True, check=True).stdout
    waits = find(json.loads(report), "locks")["waits"]
    count = sum(wait["count"] for wait in waits)
    named = sum(wait["count"] for wait in waits if wait.get("holder"))
    print(f"trace: {count} waits of {len({w['waiterProcess'] for w in waits})} programs, {named} with their holder")
    for wait in waits:
        holder = wait.get("holder")
        # The shell has no lines of its own.
        assert holder and (holder["location"]["file"] or "sqlite3" in holder["process"]), wait
        # A save of a store is known by its line.
        assert holder["statements"] or "lock-holder" in holder["process"], wait
    assert count > 0 and named == count, (named, count)


def check_pinned(seconds):
    """A recorded reader that pins the log is named by the report, at its line, and by the dashboard's track."""
    folder = tempfile.mkdtemp(prefix="lock-pinned.")
    trace = os.path.join(folder, "trace")
    run = subprocess.run([TOOL, "record", "-o", trace, "--", sys.executable, __file__, "--pinned", str(seconds)],
                         capture_output=True, text=True, env={**os.environ, "STORESCOPE_PROBE": PROBE})
    assert run.returncode == 0, run.stderr
    report = subprocess.run([TOOL, "summary", "--json", trace], capture_output=True, text=True, check=True).stdout
    found = [f for f in json.loads(report)["findings"] if f["rule"] == "EndReadTransaction"]
    lines = open(__file__).read().splitlines()
    places = [f["caller"] for f in found if f.get("caller")]
    named = [p for p in places if "SELECT count(*) FROM turn" in lines[p["line"] - 1]]
    page = os.path.join(folder, "page.html")
    subprocess.run([TOOL, "html", trace, "-o", page], capture_output=True, text=True, check=True)
    html = open(page).read()
    print(f"pinned: reported at {places}; tracks 'Log size': {'Log size' in html}, 'Log pinned': {'Log pinned' in html}")
    assert len(named) == 1 and len(found) == 1, found
    assert "Log size" in html and "Log pinned" in html and f"{named[0]['file']}:{named[0]['line']} of python3" in html, named


def find(value, key):
    """The value of a key, at whatever depth."""
    if isinstance(value, dict):
        return value[key] if key in value else next((v for v in (find(v, key) for v in value.values()) if v), None)
    return next((v for v in (find(v, key) for v in value) if v), None) if isinstance(value, list) else None


def fight_for(seconds):
    fight = Fight("wal")
    time.sleep(float(seconds))
    fight.end()


def fight_pinned(seconds):
    fight = Fight("wal")
    stop = os.path.join(fight.folder, "stop-reader")
    reader = subprocess.Popen([sys.executable, __file__, "--reader", fight.path, stop], stdout=subprocess.PIPE, text=True)
    reader.stdout.readline()
    time.sleep(float(seconds))
    open(stop, "w").close()
    reader.wait()
    fight.end()


def check_quiet(mode):
    """`locks` opens the database's files for reading and asks for no lock, so no program can wait for it."""
    fight = Fight(mode)
    trace = os.path.join(fight.folder, "strace")
    subprocess.run(["strace", "-f", "-y", "-o", trace, "-e", "trace=open,openat,fcntl,flock,ftruncate,unlink,unlinkat,pwrite64",
                    TOOL, "locks", fight.path, "--json", "--watch", "10ms", "--count", "20"],
                   stdout=subprocess.DEVNULL, check=True)
    fight.end()
    lines = open(trace).read().splitlines()
    locks = [l for l in lines if "app.db" in l and ("F_SETLK" in l or "F_OFD_SETLK" in l or " flock(" in l)]
    opened = [l for l in lines if "app.db" in l and "open" in l]
    writing = [l for l in lines if "app.db" in l and ("O_RDWR" in l or "O_WRONLY" in l or "unlink" in l)]
    print(f"{mode}: {len(opened)} files opened, {len(locks)} locks, {len(writing)} opened for writing")
    assert opened and not locks and not writing, (locks + writing)[:3]


def compare_waits(mode, rounds):
    """The waits of the programs with and without an observer, in turns; printed, not judged."""
    fight = Fight(mode)
    waits = {False: [], True: []}
    for number in range(rounds * 2):
        begin = time.clock_gettime_ns(time.CLOCK_REALTIME)
        if number % 2:
            fight.sample(50)
        else:
            time.sleep(0.5)
        end = time.clock_gettime_ns(time.CLOCK_REALTIME)
        for name in fight.programs:
            waits[bool(number % 2)] += [t[1] - t[0] for t in fight.turns(name) if begin < t[0] and t[1] < end]
    fight.end()
    for observed, list in waits.items():
        list.sort()
        if list:
            print(f"{mode}: {'with' if observed else 'without'} locks: {len(list)} waits, "
                  f"median {list[len(list) // 2] / 1e6:.2f} ms, p90 {list[len(list) * 9 // 10] / 1e6:.2f} ms")


def main():
    arguments = sys.argv[1:]
    roles = {"--fight": fight_for, "--python": write_python, "--shell": write_shell, "--reader": read_for_long,
             "--pinned": fight_pinned}
    if arguments and arguments[0] in roles:
        return roles[arguments[0]](*arguments[1:])
    count, seconds, traced = 1000, 60, 10
    while arguments and arguments[0].startswith("--"):
        option, value, *arguments = arguments
        if option == "--samples":
            count = int(value)
        elif option == "--pin":
            seconds = float(value)
        elif option == "--seconds":
            traced = float(value)
        else:
            sys.exit(__doc__)
    checks = {
        "wal": lambda: check_names("wal", count), "rollback": lambda: check_names("rollback", count),
        "pin": lambda: check_pin(seconds), "trace": lambda: check_trace(traced),
        "pinned": lambda: check_pinned(max(traced, 6)),
        "quiet": lambda: (check_quiet("wal"), check_quiet("rollback")),
        "waits": lambda: (compare_waits("wal", 5), compare_waits("rollback", 5)),
    }
    for name in arguments or checks:
        checks[name]()


if __name__ == "__main__":
    main()
