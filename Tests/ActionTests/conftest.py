# SPDX-License-Identifier: Apache-2.0
"""A repository with a baseline, and its action."""

import os
import subprocess
from pathlib import Path

import pytest

from steps import Steps, read

TOP = Path(__file__).resolve().parents[2]

PROGRAM = """
import sqlite3, sys
runs, status = int(sys.argv[1]), int(sys.argv[2])
database = sqlite3.connect(":memory:")
database.execute("create table t (a, b)")
database.executemany("insert into t values (?, ?)", [(i, i) for i in range(600)])
for i in range(runs):
    database.execute('select a as "```</pre><img src=x> @admin" from t where b = ?', (i,)).fetchall()
sys.exit(status)
"""


class Repository:
    def __init__(self, folder):
        self.folder = folder
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        (self.workspace / "app.py").write_text(PROGRAM)
        self._runs = 0

    def tool(self, *arguments):
        return subprocess.run([os.environ["STORESCOPE_TOOL"], *arguments], cwd=self.workspace, check=True,
                              capture_output=True)

    def write_baseline(self, runs=2):
        self.tool("record", "-o", "first", "--", "python3", "app.py", str(runs), "0")
        (self.workspace / ".storescope").mkdir()
        self.tool("baseline", "first", "-o", ".storescope/baseline.json")

    def run_action(self, command, environment=None, **inputs):
        """Runs the steps of action.yml with trace-report in PATH."""
        action = read(TOP / "action.yml")
        given = {name: each.get("default") for name, each in action["inputs"].items()}
        given.update(command=command, **inputs)
        self._runs += 1
        job = self.folder / f"job{self._runs}"
        folder = job / "bin"
        folder.mkdir(parents=True)
        (folder / "trace-report").symlink_to(os.environ["STORESCOPE_TOOL"])
        variables = {"GITHUB_ACTION_PATH": str(TOP), "PATH": f"{folder}:{os.environ['PATH']}", **(environment or {})}
        contexts = {f"inputs.{name}": value for name, value in given.items()}
        return _Job(action["runs"]["steps"], job, contexts, variables).run(self.workspace)


class _Job(Steps):
    @property
    def report(self):
        return self.temporary / "storescope-report"


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)
