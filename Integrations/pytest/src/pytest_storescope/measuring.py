# SPDX-License-Identifier: Apache-2.0
"""The work of single tests: of those with a marker, and of those that fail."""

from dataclasses import dataclass, field
from typing import Optional

from .log import LogParts
from .tool import Report, ToolError

# A broken fixture fails every test; the summary at the end has the findings of all.
MAX_FAILED = 50


@dataclass
class Measurement:
    """The work of a test's call: fixtures run before and after it."""

    report: Optional[Report] = None
    findings: list = field(default_factory=list)
    problem: str = ""


class Measuring:
    def __init__(self, recording, tool):
        self._recording, self._tool = recording, tool
        self._parts = LogParts(recording.log)
        self._failed = 0
        self.ignored = {}
        self.unused = []

    def position(self):
        return self._recording.position()

    def measure_failed(self, start, end):
        """Measures a test that failed; None after the first fifty."""
        self._failed += 1
        return self.measure(start, end, None) if self._failed <= MAX_FAILED else None

    def measure(self, start, end, budget):
        """Measures what stands between two positions of the log."""
        if start is None or end is None:
            return Measurement(problem="the log was removed while the test ran")
        try:
            report = self._tool.summary("-", input=self._parts.part(start, end)) if end > start else None
        except (OSError, ToolError, ValueError) as error:
            return Measurement(problem=str(error))
        if report and report.has_lost:
            return Measurement(problem="events of this test were lost")
        findings = report.findings if report else []
        if budget:
            findings = [finding for finding in findings if finding.rule not in budget.ignore]
        return Measurement(report, findings)

    def note_ignored(self, name, budget, measurement):
        """Keeps the rules that a test ignores, and those that suppress nothing."""
        if measurement.problem:
            return
        report = measurement.report
        # The probe shortens a long name.
        for name in (report.tests if report else []):
            self.ignored[name] = budget.ignore
        found = {finding.rule for finding in (report.findings if report else [])}
        self.unused += [(name, rule, sorted(found)) for rule in budget.ignore if rule not in found]
