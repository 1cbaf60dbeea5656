#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs real programs under the probe and compares what it saw with what they counted.

    Tests/ProbeTests/run.py [--install] [--only=MODULE] [NAME...]

Each program prints `counts STATEMENTS ROWS` as its last line; `-` is not compared. A program that is not
installed is skipped; --install installs what is missing, from Debian and from PyPI into .build/probe.
"""

import os
import shutil
import sys

import harness
import attached
import diagnosed
import fights
import files
import frameworks
import instructions
import interpreters
import lines
import logged
import loops
import places
import platforms
import replayed
import reported
import seen
import suites
import tasks
import touches
import trouble
import workers


def tests():
    """The functions of the modules, in the order in which they are written."""
    for module in (seen, reported, lines, loops, places, platforms, tasks, frameworks, interpreters, files, touches, fights, trouble, diagnosed, attached, instructions, logged, workers,
                   suites, replayed):
        for name, value in list(vars(module).items()):
            if getattr(value, "__module__", "") == module.__name__ and callable(value) and name[0] != "_" and name not in ("added", "install"):
                yield value


def main(arguments):
    # The probe names files relative to the folder in which a program starts.
    os.chdir(harness.ROOT)
    if "--install" in arguments:
        harness.install()
        platforms.install()
    only = [argument.removeprefix("--only=") for argument in arguments if argument.startswith("--only=")]
    names = [argument for argument in arguments if not argument.startswith("--")]
    results = {"passed": 0, "failed": 0, "skipped": 0}
    for test in tests():
        if names and test.__name__ not in names or only and test.__module__ not in only:
            continue
        try:
            test()
            result, note = "passed", ""
        except harness.Skipped as reason:
            result, note = "skipped", f": {reason}"
        except Exception as error:
            result, note = "failed", f": {error if isinstance(error, harness.Failed) else repr(error)}"
        results[result] += 1
        print({"passed": "pass ", "skipped": "skip ", "failed": "FAIL "}[result], test.__name__ + note, flush=True)
    shutil.rmtree(harness.scratch, ignore_errors=True)
    print(f"{results['passed']} passed, {results['failed']} failed, {results['skipped']} skipped")
    return 1 if results["failed"] or not any(results.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
