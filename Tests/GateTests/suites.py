# SPDX-License-Identifier: Apache-2.0
"""Copies of the programs, with changes, and the gate on their tests."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
NAMES = ["plain", "sqlalchemy", "django"]
CODE = {"plain": "shop.py", "sqlalchemy": "shop.py", "django": "shop/shelf.py", "unittest": "store.py",
        "runner": "shop/views.py"}
PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]


@dataclass
class Verdict:
    code: int
    report: dict
    text: str

    @property
    def cause(self):
        """Why the gate is red, or not."""
        keys = ["regressions", "reservations", "doubts"]
        return str({key: self.report[key] for key in keys}) if self.report else self.text

    def is_red_at(self, file, line, test):
        """Whether a regression stands at a line, and names a test."""
        return any(
            each["caller"]["file"].endswith(file) and each["caller"]["line"] == line
            and any(name.endswith("::" + test) or "::" + test + "[" in name for name in each.get("tests") or [])
            for each in self.report["regressions"] if each.get("caller"))


@dataclass
class Suite:
    """A program and its tests in a folder of their own."""

    name: str
    folder: Path
    command: list
    options: list = field(default_factory=list)
    environment: dict = field(default_factory=dict)

    def __init__(self, name, folder, command=PYTEST):
        self.name, self.folder, self.command, self.options, self.environment = name, folder, command, [], {}
        shutil.copytree(PROGRAMS / name, folder, ignore=shutil.ignore_patterns("__pycache__", "*.db"))

    def read(self, file):
        return (self.folder / file).read_text()

    def write(self, file, text):
        (self.folder / file).write_text(text)

    def replace(self, file, old, new):
        text = self.read(file)
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {file}"
        self.write(file, text.replace(old, new))

    @property
    def code(self):
        return CODE[self.name]

    def line(self, text):
        """The line of the program that has a text."""
        lines = [number for number, line in enumerate(self.read(self.code).splitlines(), 1) if text in line]
        assert len(lines) == 1, f"{text!r} is at {lines}"
        return lines[0]

    def enlarge(self, count):
        """Adds healthy tests that share one database, so that there are `count`."""
        text = (PROGRAMS.parent / "more" / f"{self.name}.py").read_text()
        self.write("test_more.py", text.replace("COUNT = 0", f"COUNT = {count - 10}"))

    def run(self, *arguments):
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **self.environment}
        # Programs that a test runs belong to it.
        environment.pop("PYTEST_CURRENT_TEST", None)
        return subprocess.run(
            [os.environ["STORESCOPE_TOOL"], "gate", *arguments, "--", sys.executable, *self.command, *self.options],
            cwd=self.folder, env=environment, capture_output=True, text=True)

    def record(self):
        """Writes the baseline."""
        done = self.run("--update")
        assert done.returncode == 0, done.stdout + done.stderr

    def gate(self):
        done = self.run("--json")
        text = done.stdout + done.stderr
        return Verdict(done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else {}, text)
