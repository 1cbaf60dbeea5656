#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records programs without a mistake, and fails on any warning of `trace-report summary`, with and without --database.

    Tests/Verdicts/healthy.py [PROGRAM...]

Prints the notes of each program. A program whose packages cannot be installed is skipped, and named. TRACE_REPORT and
STORESCOPE_PROBE replace .build/debug/trace-report and the probe of .build/probe; the programs of the package are those
in the folder of trace-report. RECORD replaces --log, as by --lttng.
"""

import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import tool
from tool import MEMORY, ROOT, TOOL

FOLDER = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(ROOT, ".build", "healthy-venv")
PYTHON = os.path.join(VENV, "bin", "python")

# The program, its packages, and the database that it leaves.
SCRIPTS = [
    ("django_admin", ["django"], "library.sqlite3"),
    ("django_blog", ["django"], "blog.sqlite3"),
    ("sqlalchemy_batch", ["sqlalchemy"], "orders.sqlite"),
    ("etl", [], "weather.sqlite"),
    ("datasette_pages", ["datasette"], "trees.db"),
    ("sqlite_utils_import", ["sqlite-utils"], "shop.db"),
    ("aiosqlite_service", ["aiosqlite"], "notes.sqlite"),
    ("job_queue", [], "jobs.sqlite"),
]
# How often a worker waits for another one depends on the scheduler.
UNCERTAIN = {("job_queue", "AvoidLockWait")}
# Of the package: what makes the database, what is recorded, and the database.
EXAMPLES = [
    ("pitfalls", "", "pitfalls after --store {0}/pitfalls.sqlite", "pitfalls.sqlite"),
    ("photos", "photos generate --photos 200 --pixels 32 --folder {0}", """
        for version in 1 2 3; do
          photos list --version $version --click 7 --scroll --after --folder {0}
        done
        photos search rom --version 3 --after --folder {0}""", "photos-3.sqlite"),
    ("transit", "transit generate --stops 1280 --stop-times 60000 --store {0}/transit.sqlite", """
        transit search --geo --departures --at 08:30 --text "u gorli" --after --repeat 5 --store {0}/transit.sqlite
        transit all --batch-size 500 --store {0}/transit.sqlite""", "transit.sqlite"),
]


def install(packages):
    """Whether the packages are there, or could be installed."""
    if not os.path.exists(PYTHON):
        python = next(path for path in ("/usr/bin/python3", sys.executable) if os.path.exists(path))
        subprocess.run([python, "-m", "venv", VENV], check=True)
    if not packages:
        return True
    pip = [PYTHON, "-m", "pip", "--disable-pip-version-check"]
    return subprocess.run([*pip, "show", "--quiet", *packages], capture_output=True).returncode == 0 or subprocess.run(
        [*pip, "install", "--quiet", *packages], capture_output=True, timeout=300).returncode == 0


def programs(scratch):
    """Yields the name, the commands that make and run it, and its database; None for a command that is missing."""
    for name, packages, database in SCRIPTS:
        script = os.path.join(FOLDER, "healthy", name + ".py")
        folder = os.path.join(scratch, name)
        make = [PYTHON, script, folder, "make"] if install(packages) else None
        yield name, folder, make, [PYTHON, script, folder, "run"], database
    for name, make, run, database in EXAMPLES:
        folder = os.path.join(scratch, name)
        is_built = os.access(os.path.join(os.path.dirname(TOOL), name), os.X_OK)
        yield (name, folder, ["sh", "-ec", make.format(folder)] if is_built else None,
               ["sh", "-ec", run.format(folder)], database)


def findings_of(folder, make, run, database):
    """The findings of a recording, with and without its database named, and what is wrong with the reports."""
    environment = dict(tool.environment(),
                       PATH=os.path.dirname(os.path.abspath(TOOL)) + os.pathsep + os.environ["PATH"])
    os.mkdir(folder)

    def output(command, timeout=240):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-500:]}\n{done.stderr[-1500:]}")
        return done.stdout

    output(make)
    trace = folder + ".trace"
    output([TOOL, "record", os.environ.get("RECORD", "--log"), "-o", trace, "--", *run])
    found = {}
    for options in ([], ["--database", os.path.join(folder, database)]):
        for finding in json.loads(output([TOOL, "summary", trace, "--json", *options]))["findings"]:
            caller = finding.get("caller") or {}
            place = f"{os.path.basename(caller.get('file', ''))}:{caller.get('line', 0)}"
            key = (finding["rule"], place, finding["statement"] if "statement" in finding else "")
            # A warning of one of both is a warning.
            if key not in found or finding["severity"] == "warning":
                found[key] = finding
    return found


def main(chosen):
    scratch = tempfile.mkdtemp(prefix="healthy.", dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
    begun, judged, wrong = time.monotonic(), 0, 0
    try:
        for name, folder, make, run, database in programs(scratch):
            if chosen and name not in chosen:
                continue
            if make is None:
                print(f"skipped  {name}: its packages cannot be installed, or it is not built", flush=True)
                continue
            found = findings_of(folder, make, run, database)
            shutil.rmtree(folder)
            judged += 1
            for (rule, place, _), finding in found.items():
                if finding["severity"] == "warning" and (name, rule) not in UNCERTAIN:
                    wrong += 1
                    print(f"warning  {name}: {rule} at {place}: {finding['message']}\n         fix: {finding.get('fix')}", flush=True)
            notes = collections.Counter(rule for (rule, _, _), finding in found.items() if finding["severity"] == "note")
            print(f"{name}: " + (", ".join(f"{rule} {count}" for rule, count in sorted(notes.items())) or "no notes"), flush=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{judged} healthy programs in {time.monotonic() - begun:.0f} s: {wrong} warnings")
    return 1 if wrong or not judged else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
