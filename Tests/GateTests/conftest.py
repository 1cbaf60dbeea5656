# SPDX-License-Identifier: Apache-2.0
"""Tries each change on each program: a suite, its baseline, the change, the gate."""

import pytest
from suites import Suite

collect_ignore = ["programs"]


def pytest_configure(config):
    config.addinivalue_line("markers", "short: one of the few changes of --short")


def pytest_addoption(parser):
    parser.addoption("--short", action="store_true", help="a few of the changes, on suites of ten tests")


def pytest_collection_modifyitems(config, items):
    if config.getoption("short"):
        items[:] = [item for item in items if item.get_closest_marker("short")]


@pytest.fixture
def suite(tmp_path):
    def make(name, count=10):
        suite = Suite(name, tmp_path / "suite")
        if count > 10:
            suite.enlarge(count)
        suite.record()
        return suite
    return make
