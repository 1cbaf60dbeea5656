# SPDX-License-Identifier: Apache-2.0
"""The hooks of pytest: `pytest --storescope`."""

import pytest

from . import options, texts
from .budgets import Budget
from .installation import find_probe, find_tool
from .logs import LogFolder
from .measuring import Measuring
from .recording import Recording, is_observed
from .summary import Summary
from .tool import Tool

SESSION = pytest.StashKey()
MEASUREMENT = pytest.StashKey()


def pytest_addoption(parser):
    options.add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    chosen = early_config.known_args_namespace
    # The probe is in the process as soon as possible: a conftest.py may open a database.
    if chosen.storescope and not chosen.help:
        early_config.stash[SESSION] = Session(early_config, chosen)


def pytest_configure(config):
    config.addinivalue_line("markers", options.MARKER)
    session = config.stash.get(SESSION, None)
    if session:
        session.begin(config)
        config.pluginmanager.register(session, "storescope-session")


class Session:
    """A run that is observed, in the process of pytest or in a worker of pytest-xdist."""

    def __init__(self, config, chosen):
        options.check(chosen)
        self._chosen = chosen
        tool = find_tool(chosen.storescope_tool, chosen.storescope_logs)
        probe = find_probe(chosen.storescope_probe, tool)
        self._tool = Tool(tool, config.rootpath)
        self._folder = LogFolder.of(chosen.storescope_logs)
        self._is_recorded = is_observed()
        self._recording = None if self._is_recorded else self._begin(probe)
        self._measuring = None if self._is_recorded else Measuring(self._recording, self._tool)
        self._run = None
        self._worker = None
        self._summary = None
        # Of the last test: what each item kept would be more work for the garbage collector.
        self._item, self._span = None, None

    def _begin(self, probe):
        try:
            return Recording(probe, self._folder.open())
        except pytest.UsageError:
            self._folder.remove(None)
            raise

    def begin(self, config):
        self._worker = getattr(config, "workeroutput", None)
        if self._worker is None:
            self._summary = Summary(self._tool, self._chosen, config)

    def pytest_report_header(self):
        if self._is_recorded:
            return "storescope: this process is observed already, and --storescope records nothing and checks no budget"
        earlier = (
            "; sqlite3 was imported before, and its earlier statements are not counted"
            if self._recording.sqlite_was_loaded else "")
        return f"storescope: SQLite is observed since before the first conftest.py{earlier}"

    # MARK: - Tests

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        if self._is_recorded:
            return (yield)
        start = self._measuring.position()
        try:
            result = yield
        finally:
            self._item, self._span = item, (start, self._measuring.position())
        self._check_budget(item)
        return result

    def _check_budget(self, item):
        budget = Budget.of(item)
        if not budget:
            return
        if budget.mistakes:
            pytest.fail("StoreScope: " + "; ".join(budget.mistakes), pytrace=False)
        measurement = self._measuring.measure(*self._span, budget)
        item.stash[MEASUREMENT] = measurement
        exceeded = budget.exceeded(measurement.report)
        if measurement.problem and budget.limits:
            pytest.fail(f"StoreScope: the budget is not checked: {measurement.problem}", pytrace=False)
        if exceeded:
            pytest.fail("StoreScope: " + "; ".join(exceeded), pytrace=False)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if call.when == "call" and report.failed and item is self._item:
            measurement = item.stash.get(MEASUREMENT, None)
            measurement = measurement or self._measuring.measure_failed(*self._span, Budget.of(item))
            if measurement:
                report.sections.append(("StoreScope", texts.section(measurement)))
        return report

    # MARK: - Workers of pytest-xdist

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        self._run = node.workerinput["testrunuid"]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        sent = (getattr(node, "workeroutput", None) or {}).get("storescope")
        self._summary.add(sent, node.gateway.id)

    # MARK: - The end

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if self._is_recorded:
            return
        self._recording.finish(exitstatus)
        sent = {"ignored": self._measuring.ignored, "unused": self._measuring.unused}
        if self._worker is not None:
            self._worker["storescope"] = sent
            return
        self._summary.add(sent, None)
        self._summary.make(self._folder.logs(self._run))
        if self._summary.fails and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if self._summary and not self._is_recorded:
            terminalreporter.section("StoreScope")
            for line in self._summary.lines:
                terminalreporter.write_line(line)

    def pytest_unconfigure(self):
        if self._worker is None and not self._is_recorded:
            self._folder.remove(self._run)
