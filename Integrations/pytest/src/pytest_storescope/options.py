# SPDX-License-Identifier: Apache-2.0
"""The options of the command line."""

import pytest

MARKER = (
    "storescope(max_statements=12, full_scans=0, ignore=[\"AvoidQueryInLoop\"]): limits of the statements "
    "that the test runs, and rules that do not apply to it")
NOTHING, NEW_FINDINGS, REGRESSIONS = "nothing", "new-findings", "regressions"


def add_options(parser):
    group = parser.getgroup("storescope", "StoreScope: the statements of tests")
    group.addoption("--storescope", action="store_true", help="observe SQLite, and print findings")
    group.addoption(
        "--storescope-baseline", metavar="FILE",
        help="compare each test with the counts of an earlier run, such as .storescope/baseline.json")
    group.addoption(
        "--storescope-update", action="store_true",
        help="write this run's counts to the baseline, and print what changed")
    group.addoption(
        "--storescope-fail-on", choices=[NOTHING, NEW_FINDINGS, REGRESSIONS], metavar="WHAT",
        help="fail the run, and no test, on new-findings, on regressions (the default with a baseline), or on nothing")
    group.addoption("--storescope-logs", metavar="DIR", help="keep the logs in a folder, for trace-report")
    group.addoption("--storescope-tool", metavar="PATH", help="trace-report, if it is not in PATH")
    group.addoption("--storescope-probe", metavar="PATH", help="the probe, if it is not beside trace-report")


def fails_on(options):
    """Returns what fails the run."""
    return options.storescope_fail_on or (REGRESSIONS if options.storescope_baseline else NOTHING)


def check(options):
    """Refuses options that would compare nothing."""
    if options.storescope_baseline:
        return
    if options.storescope_update:
        raise pytest.UsageError("--storescope-update writes a baseline; name it with --storescope-baseline")
    if fails_on(options) != NOTHING:
        raise pytest.UsageError("--storescope-fail-on compares with a baseline; name it with --storescope-baseline")
