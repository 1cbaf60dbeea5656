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
    tests: list

    def __init__(self, json):
        self.rule, self.severity = json["rule"], json["severity"]
        self.statement = json.get("statement") or ""
        self.caller = json.get("caller") or {}
        self.message, self.fix = json["message"], json["fix"]
        self.tests = json.get("tests") or []

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
        tests = json.get("tests") or {"count": 0, "statements": 0}
        self.tests, self.statements = tests["count"], tests["statements"]
        observed = (json.get("profile") or {}).get("observed") or {}
        # Of the report of a part of a log, which has a profile.
        self.names = [test["name"] for test in observed.get("tests") or []]
        self.forms = [form for test in observed.get("tests") or [] for form in test.get("forms") or []]

    @property
    def full_scans(self):
        """Runs of statements that step through a table without an index."""
        return sum(form["work"]["count"] for form in self.forms if form["work"]["fullScanSteps"] > 0)


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

    def part(self, text, logs):
        """Returns the report on a part of a log and on the logs of children, with its statements."""
        return self._report(*["-"] * bool(text), *logs, input=text)

    def summary(self, *logs):
        """Returns the report on logs."""
        return self._report("--without-profile", *logs)

    def _report(self, *arguments, input=None):
        """None if there is no event in the logs."""
        code, output, error = self.run("summary", "--json", *arguments, input=input)
        if output.strip():
            return Report(json.loads(output))
        if code == INCONCLUSIVE:
            return None
        raise ToolError(error.strip() or f"trace-report ended with {code}")
