# SPDX-License-Identifier: Apache-2.0
"""Where trace-report and the probe are installed."""

import os
import shutil
import sysconfig

import pytest

PROBE = "libstorescope-probe.so"
# Those of trace-report itself: beside it, in an installation, and in a checkout.
BESIDE_THE_TOOL = [".", "../lib/storescope", "../lib", "../probe", "../../probe"]


def find_tool(option):
    """Returns the path of trace-report: an option's, a variable's, that of this environment, or that in PATH."""
    named = option or os.environ.get("STORESCOPE_TOOL")
    if named:
        return _existing(named, "trace-report", "--storescope-tool or STORESCOPE_TOOL")
    # Where the wheel is installed; the environment need not be activated.
    packaged = os.path.join(sysconfig.get_path("scripts"), "trace-report")
    found = packaged if os.path.exists(packaged) else shutil.which("trace-report")
    if not found:
        raise pytest.UsageError(
            "--storescope needs trace-report, which is not in PATH; name it with --storescope-tool")
    return os.path.realpath(found)


def find_probe(option, tool):
    """Returns the path of the probe: an option's, a variable's, or that beside trace-report."""
    named = option or os.environ.get("STORESCOPE_PROBE")
    if named:
        return _existing(named, PROBE, "--storescope-probe or STORESCOPE_PROBE")
    for folder in BESIDE_THE_TOOL:
        path = os.path.join(os.path.dirname(tool), folder, PROBE)
        if os.path.exists(path):
            return os.path.realpath(path)
    raise pytest.UsageError(
        f"--storescope needs {PROBE}, which is not beside {tool}; name it with --storescope-probe")


def _existing(path, name, source):
    if not os.path.isfile(path):
        raise pytest.UsageError(f"{name} is not at '{path}'; correct {source}")
    return os.path.realpath(path)
