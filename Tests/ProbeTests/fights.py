# SPDX-License-Identifier: Apache-2.0
"""`make fight` in a short form: programs that fight over a database, and who is named."""

import os
import subprocess
import sys

from harness import *


def _fight(*arguments):
    build = next((build for build in ("debug", "release")
                  if os.path.exists(os.path.join(ROOT, ".build", build, "lock-holder"))), None)
    if not build:
        raise Skipped("lock-holder is not built: swift build --build-tests")
    installed("sqlite3", "lttng")
    environment = dict(os.environ, STORESCOPE_BIN=os.path.join(ROOT, ".build", build), STORESCOPE_PROBE=PROBE)
    process = subprocess.run([sys.executable, os.path.join(ROOT, "Tests", "LockFights", "fight.py"), *arguments],
                             env=environment, capture_output=True, text=True, timeout=300)
    expect(process.returncode == 0, (process.stdout + process.stderr)[-600:])


def locks_names_the_holder_of_each_sample():
    _fight("--samples", "200", "wal", "rollback")


def locks_names_the_reader_that_pins_the_log():
    _fight("--pin", "3", "pin")


def a_trace_names_the_holder_of_each_wait():
    _fight("--seconds", "4", "trace")


def the_report_and_the_dashboard_name_the_reader_that_pins_the_log():
    _fight("--seconds", "6", "pinned")
