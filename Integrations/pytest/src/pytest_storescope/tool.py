# SPDX-License-Identifier: Apache-2.0
"""Runs trace-report, and reads its JSON."""

import json
import os
from dataclasses import dataclass
# Bound here: a test may replace the module's functions.
from subprocess import PIPE, Popen

MEASURED, REGRESSION, INCONCLUSIVE = 0, 2, 3


class ToolError(Exception):
    """trace-report failed; its own message."""


@dataclass
class Finding:
    rule: str
    severity: str
    statement: str
    caller: dict
    message: str
    fix: str

    def __init__(self, json):
        self.rule, self.severity = json["rule"], json["severity"]
        self.statement = json.get("statement") or ""
        self.caller = json.get("caller") or {}
        self.message, self.fix = json["message"], json["fix"]

    @property
    def is_warning(self):
        return self.severity == "warning"


class Report:
    """The output of `trace-report summary --json`."""

    def __init__(self, json):
        self.findings = [Finding(finding) for finding in json["findings"]]
        self.excused = json["excused"]
        self.doubts = json["completeness"]["doubts"]
        self.has_lost = json["completeness"]["eventsLost"] > 0
        self.sql = {each["id"]: each.get("sql") or "" for each in json["statements"]}
        observed = (json.get("profile") or {}).get("observed") or {}
        self.tests = {test["name"]: test for test in observed.get("tests") or []}

    @property
    def statements(self):
        return sum(test["work"]["count"] for test in self.tests.values())

    @property
    def full_scans(self):
        """Runs of statements that step through a table without an index."""
        return sum(form["work"]["count"] for form in self.forms if form["work"]["fullScanSteps"] > 0)

    @property
    def forms(self):
        return [form for test in self.tests.values() for form in test.get("forms") or []]

    def tests_of(self, finding):
        """The names of the tests that ran the statement of a finding at its line."""
        return [name for name, test in self.tests.items() if any(
            form["statement"] == finding.statement
            or (finding.caller.get("file") and finding.caller == form.get("caller"))
            for form in test.get("forms") or [])]


class Tool:
    """trace-report in the folder of the project, with the environment of the beginning."""

    def __init__(self, path, folder):
        self._path, self._folder = path, str(folder)
        self._environment = dict(os.environ, NO_COLOR="1")

    def run(self, *arguments, input=None):
        """Returns the exit code, the output and the error output."""
        if not self._path:
            raise ToolError("it is not installed here; read the logs where it is")
        process = Popen(
            [self._path, *map(str, arguments)], stdin=PIPE, stdout=PIPE, stderr=PIPE,
            cwd=self._folder, env=self._environment)
        output, error = process.communicate(input if input is not None else b"")
        return process.returncode, output.decode(errors="replace"), error.decode(errors="replace")

    def summary(self, *inputs, input=None):
        """Returns the report on logs; None if there is no event in them."""
        code, output, error = self.run("summary", "--json", *inputs, input=input)
        if output.strip():
            return Report(json.loads(output))
        if code == INCONCLUSIVE:
            return None
        raise ToolError(error.strip() or f"trace-report ended with {code}")
