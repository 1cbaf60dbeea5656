#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the instructions that the probe adds against the committed ones.

    Tests/ProbeTests/held.py Benchmarks/thresholds.json [--update]

Exit codes are the gate's: 0 fine, 2 a regression, 3 inconclusive, 64 usage.
"""

import json
import os
import platform
import shutil
import subprocess
import sys

import harness
from instructions import added

TOLERANCE_PERCENT = 3


def environment():
    """What a count depends on."""
    compiler = subprocess.run(["cc", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    sqlite = subprocess.run(["sqlite3", "--version"], capture_output=True, text=True, check=True).stdout.split()[0]
    return {"architecture": platform.machine(), "cc": compiler, "glibc": platform.libc_ver()[1], "sqlite": sqlite}


def check(now, known):
    worst = 0
    for name, count in sorted(now["instructions"].items()):
        before = known["instructions"].get(name)
        if before is None:
            print(f"{name:24}        –  {count:8.1f}  no threshold")
            worst = worst or 3
            continue
        # One instruction is how exactly a count of some thousand runs is known.
        margin = max(before * TOLERANCE_PERCENT / 100, 1)
        verdict = ("REGRESSION" if count > before + margin else
                   "better: tighten with UPDATE=1" if count < before - margin else "")
        print(f"{name:24} {before:8.1f}  {count:8.1f}  {verdict}")
        if verdict == "REGRESSION":
            worst = 2
    for name, value in now["environment"].items():
        if known["environment"].get(name) != value:
            print(f"inconclusive: {name} is {value}, and was {known['environment'].get(name)}")
            return 3
    return worst


def main(arguments):
    if not 1 <= len(arguments) <= 2 or arguments[1:] not in ([], ["--update"]):
        print(__doc__, file=sys.stderr)
        return 64
    with open(arguments[0]) as file:
        thresholds = json.load(file)
    now = {"environment": environment(), "instructions": {name: round(count, 1) for name, count in added().items()}}
    if arguments[1:]:
        thresholds["probe"] = now
        with open(arguments[0], "w") as file:
            # As Swift's JSONEncoder writes it.
            file.write(json.dumps(thresholds, indent=2, sort_keys=True, separators=(",", " : ")) + "\n")
        return 0
    if "probe" not in thresholds:
        print("no thresholds of the probe; 'make bench-counts UPDATE=1' makes them")
        return 3
    print("instructions that the probe adds to a query, an insertion, a row")
    return check(now, thresholds["probe"])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    finally:
        shutil.rmtree(harness.scratch, ignore_errors=True)
