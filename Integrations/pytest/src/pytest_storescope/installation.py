# SPDX-License-Identifier: Apache-2.0
"""Where trace-report and the probe are installed."""

import os
import shutil
import sysconfig

import pytest

PROBE = "libstorescope-probe.so"
# Those of trace-report itself: beside it, in an installation, and in a checkout.
BESIDE_THE_TOOL = [".", "../lib/storescope", "../lib", "../probe", "../../probe"]


def find_tool(option, keeps_logs):
    """Returns the path of trace-report: an option's, a variable's, that of this environment, or that in PATH.

    Logs that are kept are read on another machine: then it may be missing, and None is returned.
    """
    named = option or os.environ.get("STORESCOPE_TOOL")
    if named:
        return _existing(named, "trace-report", "--storescope-tool or STORESCOPE_TOOL")
    # Where the wheel is installed; the environment need not be activated.
    packaged = os.path.join(sysconfig.get_path("scripts"), "trace-report")
    found = packaged if os.path.exists(packaged) else shutil.which("trace-report")
    if not found and not keeps_logs:
        raise pytest.UsageError(
            "--storescope needs trace-report, which is not in PATH; name it with --storescope-tool, or record with "
            "--storescope-logs")
    return os.path.realpath(found) if found else None


def find_probe(option, tool):
    """Returns the path of the probe: an option's, a variable's, or that beside trace-report."""
    named = option or os.environ.get("STORESCOPE_PROBE")
    if named:
        return _existing(named, PROBE, "--storescope-probe or STORESCOPE_PROBE")
    beside = os.path.dirname(tool) if tool else sysconfig.get_path("scripts")
    for folder in BESIDE_THE_TOOL:
        path = os.path.join(beside, folder, PROBE)
        if os.path.exists(path):
            return os.path.realpath(path)
    raise pytest.UsageError(
        f"--storescope needs {PROBE}, which is not beside {tool or beside}; name it with --storescope-probe")


def _existing(path, name, source):
    if not os.path.isfile(path):
        raise pytest.UsageError(f"{name} is not at '{path}'; correct {source}")
    return os.path.realpath(path)
