#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records each program once, and compares the warnings of `trace-report summary` with its label.

    Tests/Verdicts/programs.py [RULE...] [PROGRAM...]

Prints for each rule its programs, those that were found and missed, false warnings, precision and recall. Exits
with 1 below the limits. JOBS programs run at a time, one by default. TRACE_REPORT and STORESCOPE_PROBE replace
.build/debug/trace-report and the probe of .build/probe.
"""

import collections
import glob
import importlib
import inspect
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

FOLDER = os.path.dirname(os.path.abspath(__file__))
MIN_PRECISION, MIN_RECALL = 0.98, 0.95

sys.path[:0] = [FOLDER, os.path.join(FOLDER, "programs")]
import labels  # noqa: E402
from tool import MEMORY, PYTHON, report  # noqa: E402


def marked_line(program):
    lines, first = inspect.getsourcelines(inspect.unwrap(program.run))
    marked = [first + index for index, line in enumerate(lines) if line.rstrip().endswith("# HERE")]
    return marked[0] if marked else None


class Folders:
    """A copy of a setup's files for each program; a setup runs once, without the probe."""

    def __init__(self, scratch):
        self.scratch, self.made, self.lock = scratch, {}, threading.Lock()

    def copy(self, program):
        folder = os.path.join(self.scratch, str(program))
        if program.setup is None:
            os.mkdir(folder)
            return folder
        with self.lock:
            if program.setup not in self.made:
                template = os.path.join(self.scratch, "setup-" + program.setup.__name__)
                os.mkdir(template)
                code = f"import {program.group}, sys; {program.group}.{program.setup.__name__}(sys.argv[1])"
                subprocess.run([PYTHON, "-B", "-c", code, template], check=True,
                               env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path[:2])))
                self.made[program.setup] = template
        shutil.copytree(self.made[program.setup], folder)
        return folder


def warnings_of(program, folder):
    """The warnings of a recording of the program, with their `place`: a file and a line."""
    trace = folder + ".trace"
    recorded = report("record", "--log", *program.options, "-o", trace, "--",
                      PYTHON, os.path.abspath(__file__), "--program", str(program), folder, timeout=60)
    if recorded.returncode != 0:
        raise SystemExit(f"{program} ended with {recorded.returncode}:\n{recorded.stdout[-500:]}\n{recorded.stderr[-1500:]}")
    summary = report("summary", trace, "--json", timeout=60)
    try:
        findings = json.loads(summary.stdout)["findings"]
    except ValueError:
        raise SystemExit(f"{program}: no summary:\n{summary.stdout[-500:]}\n{summary.stderr[-1500:]}")
    for finding in findings:
        caller = finding.get("caller") or {}
        finding["place"] = (os.path.basename(caller.get("file", "")), caller.get("line"))
    return [finding for finding in findings if finding["severity"] == "warning"]


class Tally:
    def __init__(self):
        self.programs, self.near = 0, 0
        self.found, self.missed, self.false = 0, 0, 0

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    @property
    def precision(self):
        return self.found / (self.found + self.false) if self.found + self.false else 1

    @property
    def recall(self):
        return self.found / (self.found + self.missed) if self.found + self.missed else 1


def judge(program, warnings, tallies):
    """Adds the program to the tallies, and returns a line for each warning that is missed or false."""
    line = marked_line(program)
    place = (program.group + ".py", line) if line else None
    wrong, right = [], [warning for warning in warnings if warning["rule"] in program.may]
    for rules in program.warnings:
        named = [warning for warning in warnings if warning["rule"] in rules]
        found = [warning for warning in named if place in (None, warning["place"])]
        tally = tallies[found[0]["rule"] if found else rules[0]]
        tally.programs += 1
        tally.found += bool(found)
        tally.missed += not found
        # A rule that names another line only is missed, and not false as well.
        right += found or named
        if not found:
            other = f": its line is {named[0]['place'][1]}, not {line}" if named else ""
            wrong.append(f"missed  {program}: {'|'.join(rules)}{other}")
    for rule in program.near:
        tallies[rule].near += 1
    for warning in warnings:
        if warning not in right:
            tallies[warning["rule"]].false += 1
            file, number = warning["place"]
            wrong.append(f"false   {program}: {warning['rule']} at {file}:{number}: {warning['message']}")
    return wrong


def main(chosen):
    for path in sorted(glob.glob(os.path.join(FOLDER, "programs", "*.py"))):
        importlib.import_module(os.path.splitext(os.path.basename(path))[0])
    programs = [program for program in labels.PROGRAMS if not chosen or str(program) in chosen or any(
        name in program.near or any(name in rules for rules in program.warnings) for name in chosen)]
    if not programs:
        raise SystemExit("no program has one of these rules or names: " + ", ".join(chosen))
    tallies, wrong, begun = collections.defaultdict(Tally), [], time.monotonic()
    scratch = tempfile.mkdtemp(prefix="verdicts.", dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
    try:
        folders = Folders(scratch)

        def record(program):
            folder = folders.copy(program)
            warnings = warnings_of(program, folder)
            shutil.rmtree(folder)
            shutil.rmtree(folder + ".trace")
            return warnings

        with ThreadPoolExecutor(int(os.environ.get("JOBS", 1))) as pool:
            for program, warnings in zip(programs, pool.map(record, programs)):
                lines = judge(program, warnings, tallies)
                for line in lines:
                    print(line, flush=True)
                wrong += lines
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    total = Tally()
    print(f"{'rule':32}{'programs':>9}{'near':>6}{'found':>7}{'missed':>7}{'false':>7}{'precision':>11}{'recall':>8}")
    for rule in sorted(tallies):
        total.add(tallies[rule])
    for rule, tally in [*sorted(tallies.items()), ("all", total)]:
        print(f"{rule:32}{tally.programs:9}{tally.near:6}{tally.found:7}{tally.missed:7}{tally.false:7}"
              f"{tally.precision:11.3f}{tally.recall:8.3f}")
    near = sum(not program.warnings for program in programs)
    print(f"{len(programs)} programs, {near} of them near misses, in {time.monotonic() - begun:.0f} s: {len(wrong)} wrong")
    return 1 if total.precision < MIN_PRECISION or total.recall < MIN_RECALL else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--program"]:
        group, name = sys.argv[2].split(".")
        getattr(importlib.import_module(group), name)(sys.argv[3])
    else:
        sys.exit(main(sys.argv[1:]))
