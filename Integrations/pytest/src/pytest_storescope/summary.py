# SPDX-License-Identifier: Apache-2.0
"""The section at the end of a run: findings, and the comparison with a baseline."""

import json
import os

from . import options, texts
from .texts import counted
from .tool import INCONCLUSIVE, MEASURED, REGRESSION, ToolError


class Summary:
    def __init__(self, tool, chosen, config):
        self._tool, self._chosen = tool, chosen
        self._baseline = chosen.storescope_baseline and str(
            config.invocation_params.dir / chosen.storescope_baseline)
        self._ignored, self._unused = {}, []
        self.lines, self.fails = [], False

    def add(self, sent, worker):
        """Adds the markers that a process checked."""
        if sent is None:
            self.lines.append(f"inconclusive: worker {worker} ended without a report")
            return
        self._ignored.update(sent["ignored"])
        self._unused += sent["unused"]

    def make(self, logs):
        """Runs trace-report on the logs of all processes."""
        # Without an input it would read another recording of the folder.
        if not logs:
            return self._fail_on_doubt("the logs were removed while the tests ran")
        try:
            report = self._tool.summary(*logs)
            if report is None:
                self.lines.append("No statement of SQLite was observed.")
            else:
                self._add_findings(report)
            self._add_unused()
            if self._baseline:
                self._compare(logs)
        except (OSError, ToolError, ValueError, KeyError) as error:
            self._fail_on_doubt(f"trace-report failed: {texts.escaped(str(error))}")
        if self._chosen.storescope_logs:
            self.lines.append(f"Logs: {self._chosen.storescope_logs}")

    # MARK: - Findings

    def _add_findings(self, report):
        self.lines += [f"inconclusive: {texts.escaped(doubt)}" for doubt in report.doubts]
        suppressed = len(report.excused)
        warnings = [finding for finding in report.findings if finding.is_warning]
        shown = 0
        for finding in warnings:
            if self._is_ignored(finding.rule, finding.tests):
                suppressed += 1
                continue
            shown += 1
            self.lines += texts.finding_lines(finding, report, finding.tests)
        notes = len(report.findings) - len(warnings)
        self.lines.append(
            f"{counted(report.statements, 'statement')} in {counted(report.tests, 'test')}, "
            f"{counted(shown, 'warning')}, {counted(notes, 'note')}, {suppressed:,} suppressed")

    def _is_ignored(self, rule, tests):
        """Whether every test that shows a finding ignores its rule."""
        return bool(tests) and all(rule in self._ignored.get(test, []) for test in tests)

    def _add_unused(self):
        for name, rule, found in self._unused:
            has = ", ".join(found) if found else "none"
            self.lines.append(
                f"{texts.escaped(name)} ignores {texts.escaped(rule)}, which suppresses nothing; its findings: {has}")

    # MARK: - The baseline

    def _compare(self, logs):
        if not os.path.exists(self._baseline) and not self._chosen.storescope_update:
            self._fail_on_doubt(
                f"no baseline at '{self._chosen.storescope_baseline}'; write it with --storescope-update")
            return
        if self._chosen.storescope_update:
            self._update(logs)
            return
        code, output, error = self._tool.run("gate", "--json", *logs, "--baseline", self._baseline)
        if code not in (MEASURED, REGRESSION, INCONCLUSIVE) or not output.strip():
            self._fail_on_doubt(error.strip() or f"trace-report gate ended with {code}")
            return
        self._add_comparison(json.loads(output), code)

    def _update(self, logs):
        os.makedirs(os.path.dirname(self._baseline) or ".", exist_ok=True)
        exists = os.path.exists(self._baseline)
        arguments = (
            ("gate", *logs, "--baseline", self._baseline, "--update") if exists
            else ("baseline", *logs, "-o", self._baseline))
        code, output, error = self._tool.run(*arguments)
        self.lines += texts.escaped_lines(output + error)
        if code != MEASURED:
            self.fails = True

    def _add_comparison(self, gate, code):
        regressions = [each for each in gate["regressions"] if not self._is_ignored(
            each.get("rule"), each.get("tests") or [])]
        findings = [each for each in regressions if each.get("rule")]
        for each in regressions:
            self.lines += texts.regression_lines(each)
        fail_on = options.fails_on(self._chosen)
        if fail_on != options.NOTHING:
            self.fails |= bool(findings if fail_on == options.NEW_FINDINGS else regressions)
        if code == INCONCLUSIVE:
            self._fail_on_doubt("; ".join(map(texts.escaped, gate["reservations"])))
        self.lines.append(
            f"{counted(len(regressions), 'regression')} against {self._chosen.storescope_baseline}, "
            f"{counted(len(findings), 'new finding')}")

    def _fail_on_doubt(self, reason):
        self.lines.append(f"inconclusive: {reason}")
        self.fails |= options.fails_on(self._chosen) != options.NOTHING

