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

    def measure_failed(self, start, end, budget):
        """Measures a test that failed; None after the first fifty that have no budget."""
        self._failed += budget is None
        return self.measure(start, end, budget) if budget or self._failed <= MAX_FAILED else None

    def measure(self, start, end, budget):
        """Measures what stands between two positions of the log, and what new children did meanwhile."""
        if start is None or end is None:
            return Measurement(problem="the log was removed while the test ran")
        try:
            report = self._report(*start, *end)
        except FileNotFoundError:
            return Measurement(problem="the log was removed while the test ran")
        except (OSError, ToolError, ValueError) as error:
            return Measurement(problem=str(error))
        if report and report.has_lost:
            return Measurement(problem="events of this test were lost")
        findings = report.findings if report else []
        if budget:
            self._record_ignored(report, findings, budget)
            findings = [finding for finding in findings if finding.rule not in budget.ignore]
        return Measurement(report, findings)

    def _report(self, start, before, end, after):
        part = self._parts.part(start, end) if end > start else b""
        children = [self._recording.folder / name for name in sorted(set(after) - set(before))]
        return self._tool.part(part, children) if part or children else None

    def _record_ignored(self, report, findings, budget):
        """Keeps the rules that a test ignores, and those that suppress nothing."""
        # The names are those of the log: the probe shortens a long one.
        names = report.names if report else []
        self.ignored.update((name, budget.ignore) for name in names)
        found = sorted({finding.rule for finding in findings})
        self.unused += [(name, rule, found) for name in names for rule in budget.ignore if rule not in found]
