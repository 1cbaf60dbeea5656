# SPDX-License-Identifier: Apache-2.0
"""Runs trace-report with the probe; TRACE_REPORT and STORESCOPE_PROBE replace those of .build."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.environ.get("TRACE_REPORT", os.path.join(ROOT, ".build", "debug", "trace-report"))
PROBE = os.environ.get("STORESCOPE_PROBE", os.path.join(ROOT, ".build", "probe", "libstorescope-probe.so"))
PYTHON = next(path for path in ("/usr/bin/python3", sys.executable) if os.path.exists(path))
# Commits do not wait for a disk there.
MEMORY = "/dev/shm"


def environment():
    """The caller's variables without those of a recording."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("STORE_")}
    return dict(inherited, STORESCOPE_PROBE=PROBE, PYTHONDONTWRITEBYTECODE="1")


def report(*arguments, folder=None, timeout=300):
    return subprocess.run(
        [TOOL, *arguments], cwd=folder, env=environment(), capture_output=True, text=True, timeout=timeout)
