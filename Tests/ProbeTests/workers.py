# SPDX-License-Identifier: Apache-2.0
"""Programs of several processes or databases: the counts of all of them, and of each line."""

import collections
import json
import os
import shutil
import sys

from harness import *
from logged import _recorded
from places import _project, _written


def _expect_recorded(command, program, options=("--log", "--lttng")):
    """Compares the counts and the lines of a recording with those that the program prints: `counts` and `place`.

    Returns the processes of the last recording."""
    plain, _ = run(command, probe=False)
    expect(plain.returncode == 0, plain.stderr[-800:])
    loaded, _ = run(command)
    expect((loaded.returncode, loaded.stdout) == (0, plain.stdout), "differs with the probe loaded: " + loaded.stderr[-500:])
    lines = {line.rsplit("  # ", 1)[1].rstrip(): number for number, line in enumerate(open(program), 1) if "  # " in line}
    places = {lines[line.split()[1]]: int(line.split()[2])
              for line in plain.stdout.splitlines() if line.startswith("place ")}
    for option in options:
        if option == "--lttng" and not shutil.which("lttng"):
            continue
        process, trace = _recorded([option], command)
        expect(process.returncode == 0 and process.stdout.startswith(plain.stdout),
               f"{option}: {process.stdout[-500:]} {process.stderr[-500:]}")
        summary = json.loads(report("summary", "--json", trace).stdout)
        expect(summary["completeness"]["doubts"] == [], f"{option}: {summary['completeness']['doubts']}")
        statements = summary["statements"]
        counts = tuple(str(sum(statement[key] for statement in statements)) for key in ("count", "rows"))
        expect(counts == counts_of(plain.stdout), f"{option}: {counts}, the program {counts_of(plain.stdout)}")
        seen = collections.Counter()
        for caller in (caller for statement in statements for caller in statement["callers"]):
            expect(os.path.basename(caller["file"]) == os.path.basename(program), f"{option}: {caller}")
            seen[caller["line"]] += caller["count"]
        expect(seen == places, f"{option}: {dict(seen)}, not {places}")
    return summary["profile"]["processes"]


def _program(name, text):
    return os.path.join(_written(_project("workers"), **{name: text}), name + ".py")


def counts_of_multiprocessing_are_those_of_all_workers():
    """By each method that starts them, also by an executor and by a process that is started alone."""
    program = _program("pools", """\
import collections, multiprocessing, os, sqlite3, sys, tempfile
from concurrent.futures import ProcessPoolExecutor
path = os.environ.get("SHOP") or os.path.join(tempfile.mkdtemp(), "shop.db")
os.environ["SHOP"] = path
def work(number):
    db = sqlite3.connect(path, timeout=60, isolation_level=None)
    for i in range(number + 1):
        db.execute("SELECT a FROM t WHERE a > ?", (15,)).fetchall()  # select
    db.execute("INSERT INTO log VALUES(?)", (number,))  # insert
    db.close()
    return number + 1
def alone():
    db = sqlite3.connect(path, timeout=60)
    db.execute("SELECT count(*) FROM t").fetchall()  # alone
    db.close()
if __name__ == "__main__":
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("CREATE TABLE t(a)")  # create
    db.execute("CREATE TABLE log(a)")  # create2
    db.execute("WITH n(a) AS (VALUES(0) UNION ALL SELECT a + 1 FROM n WHERE a < 19) INSERT INTO t SELECT a FROM n")  # fill
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(3) as pool:
        selects = sum(pool.map(work, range(12)))
        pool.close()
        pool.join()
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        selects += sum(executor.map(work, range(5)))
    process = context.Process(target=alone)
    process.start()
    process.join()
    inserted = db.execute("SELECT a FROM log").fetchall()  # log
    print(f"place create 1\\nplace create2 1\\nplace fill 1\\nplace select {selects}\\nplace insert {len(inserted)}")
    print("place alone 1\\nplace log 1")
    print("counts", 5 + selects + len(inserted), 4 * selects + 1 + len(inserted))
""")
    for method in "fork", "spawn", "forkserver":
        options = ("--log", "--lttng") if method == "fork" else ("--log",)
        processes = _expect_recorded([sys.executable, program, method], program, options)
        expect(len(processes) > 2, f"{method}: {processes}")


def counts_of_celery_are_those_of_all_workers():
    """Of its prefork pool; the broker is a folder."""
    imported(PYTHON, "celery")
    program = _program("jobs", """\
import glob, os, signal, sqlite3, subprocess, sys, tempfile, time
from celery import Celery
folder = os.environ.setdefault("JOBS", os.path.join(tempfile.mkdtemp(), ""))
app = Celery("jobs", broker="filesystem://")
app.conf.update(broker_transport_options={"data_folder_in": folder, "data_folder_out": folder, "control_folder": folder})
path = folder + "shop.db"
def titles(db, author):
    return db.execute("SELECT title FROM book WHERE author = ?", (author,)).fetchall()  # titles
@app.task
def listing(number):
    db = sqlite3.connect(path, timeout=60, isolation_level=None)
    for author, in db.execute("SELECT id FROM author").fetchall():  # authors
        titles(db, author)
    db.execute("INSERT INTO done VALUES(?)", (number,))  # done
    db.close()
    open(f"{folder}{number}.done", "w").close()
if __name__ == "__main__":
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("CREATE TABLE author(id); CREATE TABLE book(author, title); CREATE TABLE done(number)")  # tables
    db.executemany("INSERT INTO author VALUES(?)", [(i,) for i in range(5)])  # fill
    db.executemany("INSERT INTO book VALUES(?, 'x')", [(i % 5,) for i in range(20)])  # books
    db.close()
    for i in range(12): listing.delay(i)
    worker = subprocess.Popen([sys.executable, "-m", "celery", "-A", "jobs", "worker", "-P", "prefork", "-c", "2", "-l", "ERROR",
                               "--without-gossip", "--without-mingle", "--without-heartbeat"], stdout=subprocess.DEVNULL,
                              cwd=os.path.dirname(os.path.abspath(__file__)))
    end = time.monotonic() + 60
    while worker.poll() is None and len(glob.glob(folder + "*.done")) < 12 and time.monotonic() < end: time.sleep(0.05)
    worker.send_signal(signal.SIGTERM)
    print("worker", worker.wait())
    print("place tables 3\\nplace fill 5\\nplace books 20\\nplace titles 60\\nplace authors 12\\nplace done 12")
    print("counts", 28 + 84, 12 * 25)
""")
    _expect_recorded([PYTHON, program], program)


# MARK: - Two databases


def counts_of_two_databases_are_those_of_each():
    """The same lines run on two files, and one statement on both of them; each connection has its own counts."""
    program = _program("two", """\
import collections, os, sqlite3, tempfile
folder = tempfile.mkdtemp()
counts, rows, places = collections.Counter(), collections.Counter(), collections.Counter()
def count(place, name, found):
    places[place] += 1
    counts[name] += 1
    rows[name] += len(found)
def run(db, name, sql, *values):
    count("run", name, db.execute(sql, values).fetchall())  # run
shop, log = (sqlite3.connect(os.path.join(folder, name), isolation_level=None) for name in ("shop.db", "log.db"))
for db, name in (shop, "shop.db"), (log, "log.db"):
    run(db, name, "CREATE TABLE t(a)")
for i in range(30):
    run(shop, "shop.db", "INSERT INTO t VALUES(?)", i)
    if i % 3 == 0: run(log, "log.db", "INSERT INTO t VALUES(?)", i)
    for db, name in (shop, "shop.db"), (log, "log.db"):
        run(db, name, "SELECT a FROM t WHERE a < ?", i)
count("attach", "shop.db", shop.execute("ATTACH ? AS other", (os.path.join(folder, "log.db"),)).fetchall())  # attach
for i in range(7):
    count("both", "shop.db", shop.execute("SELECT t.a FROM t JOIN other.t AS u USING(a) WHERE a >= ?", (i,)).fetchall())  # both
shop.close()
log.close()
for name in counts: print("database", name, counts[name], rows[name])
for place in places: print("place", place, places[place])
print("counts", sum(counts.values()), sum(rows.values()))
""")
    command = [sys.executable, program]
    runs, lines = compare(command, language="python")
    paths = {event["connection_id"]: os.path.basename(event["path"]) for event in events(lines, "connection_opened")}
    plain, _ = run(command, probe=False)
    counted = {line.split()[1]: tuple(map(int, line.split()[2:])) for line in plain.stdout.splitlines()
               if line.startswith("database ")}
    seen = {name: (len(own), total(own, "rows")) for name in set(paths.values())
            for own in [[event for event in runs if paths[event["connection_id"]] == name]]}
    expect(seen == counted and len(counted) == 2, f"{seen}, the program {counted}")
    _expect_recorded(command, program)
    # The path of an ATTACH may be bound.
    _, trace = _recorded(["--log"], command)
    plans = report("plans", trace).stdout
    expect("JOIN other.t" in plans and "error" not in plans, plans)
