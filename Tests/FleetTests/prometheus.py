#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets a real Prometheus scrape `trace-report serve` until the alerts of dashboards/prometheus fire.

    prometheus.py TRACE_REPORT

Recordings are Python programs under `record`: a usual one, then one that scans and whose log grows, and one
that stops LTTng's consumers while it runs more statements than fit into 1 MiB of buffers.
`offset 1h`, `[1h]`, `[10m]` and `[5m]` of the rules are shortened to seconds; nothing else is changed.
"""
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

TOOL = str(pathlib.Path(sys.argv[1]).resolve())
RULES = pathlib.Path(__file__).resolve().parents[2] / "dashboards" / "prometheus" / "rules.yml"
EXPECTED = {
    "StoreScopeNewFullScan", "StoreScopeLockHeldLong", "StoreScopeLogGrows", "StoreScopeEventsLost",
    "StoreScopeGateWouldFail"}
PROGRAM = """
import os, pathlib, signal, sqlite3, sys
heavy = sys.argv[2] == "heavy"
if sys.argv[2] == "burst":
    own = sqlite3.connect(":memory:", isolation_level=None)
    own.execute("SELECT 1").fetchall()
    consumers = [int(comm.parent.name) for comm in pathlib.Path("/proc").glob("[0-9]*/comm")
                 if comm.read_text() == "lttng-consumerd\\n"]
    for consumer in consumers:
        os.kill(consumer, signal.SIGSTOP)
    try:
        for i in range(50000):
            own.execute("SELECT 1").fetchall()
    finally:
        for consumer in consumers:
            os.kill(consumer, signal.SIGCONT)
c = sqlite3.connect(sys.argv[1])
c.execute("PRAGMA journal_mode=WAL")
c.execute("CREATE TABLE IF NOT EXISTS book(id INTEGER PRIMARY KEY, title TEXT)")
c.executemany("INSERT INTO book(title) VALUES (?)", [(str(i),) for i in range(1000)])
c.commit()
c.execute("SELECT title FROM book WHERE id = 7").fetchall()
if heavy:
    for i in range(20):
        c.execute("SELECT id FROM book WHERE title = ?", (str(i),)).fetchall()
    reader = sqlite3.connect(sys.argv[1])
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM book").fetchall()
    c.execute("CREATE TABLE blob(b)")
    c.executemany("INSERT INTO blob VALUES (zeroblob(3000))", [()] * 20000)
    c.commit()
    c.execute("PRAGMA wal_checkpoint").fetchall()
    c.execute("BEGIN IMMEDIATE")
    waiter = sqlite3.connect(sys.argv[1], timeout=1.5)
    try:
        waiter.execute("INSERT INTO book(title) VALUES ('x')")
    except sqlite3.OperationalError:
        pass
    c.rollback()
"""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def main(folder):
    program = folder / "app.py"
    program.write_text(PROGRAM)
    recordings = folder / "recordings"
    recordings.mkdir()

    def record(name, kind, *options):
        # Beside the folder first: it appears there when it is whole.
        subprocess.run(
            [TOOL, "record", *options, "-o", folder / name, "--", "python3", program, folder / f"{name}.db", kind],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        shutil.move(folder / name, recordings / name)

    record("usual", "light")
    subprocess.run(
        [TOOL, "baseline", recordings / "usual", "-o", folder / "baseline.json"],
        stdout=subprocess.DEVNULL, check=True)
    rules = re.sub(r"offset 1h", "offset 10s", RULES.read_text())
    (folder / "rules.yml").write_text(re.sub(r"\[(1h|10m|5m)\]", "[20s]", rules))
    port, own = free_port(), free_port()
    (folder / "prometheus.yml").write_text(
        "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [rules.yml]\n"
        "scrape_configs:\n  - job_name: storescope\n"
        f"    static_configs: [{{targets: ['127.0.0.1:{port}']}}]\n")
    serve = subprocess.Popen(
        [TOOL, "serve", "--listen", f"127.0.0.1:{port}", recordings,
         "--baseline", folder / "baseline.json"], stdout=subprocess.DEVNULL)
    prometheus = subprocess.Popen(
        ["prometheus", "--enable-feature=exemplar-storage", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
         f"--web.listen-address=127.0.0.1:{own}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    firing, exemplars = set(), set()
    try:
        def alerts():
            try:
                url = f"http://127.0.0.1:{own}/api/v1/alerts"
                answer = json.load(urllib.request.urlopen(url, timeout=5))
            except OSError:
                return set()
            return {a["labels"]["alertname"] for a in answer["data"]["alerts"] if a["state"] == "firing"}

        time.sleep(15)
        before = alerts()
        if before:
            sys.exit(f"fires on a usual run: {sorted(before)}")
        record("heavy", "heavy")
        record("burst", "burst", "--memory", "1")
        for _ in range(60):
            firing |= alerts()
            if EXPECTED <= firing:
                break
            time.sleep(1)
        url = (f"http://127.0.0.1:{own}/api/v1/query_exemplars?start={time.time() - 300}&end={time.time()}"
               "&query=storescope_run_duration_seconds_bucket")
        answer = json.load(urllib.request.urlopen(url, timeout=5))
        exemplars = {e["labels"]["statement"] for series in answer["data"] for e in series["exemplars"]}
    finally:
        for process in (serve, prometheus):
            process.terminate()
        for process in (serve, prometheus):
            process.wait(20)
    print("fired:", ", ".join(sorted(firing)))
    print("exemplars of", len(exemplars), "statements")
    if not exemplars:
        sys.exit("Prometheus stored no exemplar")
    if not EXPECTED <= firing:
        sys.exit(f"did not fire: {sorted(EXPECTED - firing)}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(pathlib.Path(name))
