#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a flight recorder costs that is always on, in turns with and without it.

    Tests/LockFights/always_on.py [ROUNDS]

Prints the median of the differences of each pair, and the quartiles. Each program measures its own loop in CPU
time of its thread, so that neither its start nor other programs count.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("STORESCOPE_BIN", os.path.join(ROOT, ".build", "debug"))
TOOL = os.path.join(BIN, "trace-report")
COSTS = os.path.join(ROOT, "Tests", "ProbeTests", "programs", "costs.py")
GEO = os.path.join(ROOT, "Tests", "LockFights", "geo.py")


def measured(command, recorded):
    folder = tempfile.mkdtemp(prefix="always-on.")
    if recorded:
        command = [TOOL, "record", "--when", "statement > 100s", "--when", "locked",
                   "-o", os.path.join(folder, "incidents"), "--"] + command
    run = subprocess.run(command, capture_output=True, text=True)
    shutil.rmtree(folder, ignore_errors=True)
    return float(next(line for line in run.stdout.splitlines() if line[:1].isdigit()))


def main(arguments):
    rounds = int(arguments[0]) if arguments else 11
    cases = {"Python point query": ["/usr/bin/python3", COSTS, "point", "200000"],
             "geo query in Python": ["/usr/bin/python3", GEO, "4000"]}
    for name, command in cases.items():
        without, difference = [], []
        for _ in range(rounds):
            pair = [measured(command, recorded) for recorded in (False, True)]
            without.append(pair[0])
            difference.append(100 * (pair[1] - pair[0]) / pair[0])
        low, middle, high = statistics.quantiles(difference, n=4)
        print(f"{name}: {statistics.median(without) / 1000:.2f} µs without, "
              f"{middle:+.1f}% with (quartiles {low:+.1f}% to {high:+.1f}%, {rounds} pairs)", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
