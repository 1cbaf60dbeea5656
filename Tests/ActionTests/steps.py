# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of an action or a job in a shell, one after the other, as GitHub's runner does."""

import os
import re
import subprocess
from pathlib import Path

import yaml


def read(path):
    """Reads YAML, in which `on` is a key and not a boolean."""
    text = re.sub(r"^on:", "'on':", Path(path).read_text(), flags=re.MULTILINE)
    return yaml.safe_load(text)


class Steps:
    """The context of a job: its folders, the outputs of its steps, and the inputs of other actions."""

    def __init__(self, steps, folder, contexts, environment=None):
        self._steps, self._contexts = steps, contexts
        self._folder = Path(folder)
        self.temporary = self._folder / "temp"
        self.temporary.mkdir(parents=True, exist_ok=True)
        self._environment = dict(os.environ, RUNNER_TEMP=str(self.temporary), **(environment or {}))
        self.outputs, self.used, self.ran, self.printed = {}, [], [], ""
        self.summary = self._folder / "summary.md"
        self.failed = None

    def run(self, workspace):
        """Runs the steps; ``failed`` is the status of the first that failed."""
        for number, step in enumerate(self._steps):
            if not self._applies(step):
                continue
            self.ran.append(step.get("id") or step.get("uses") or number)
            if "uses" in step:
                self.used.append((step["uses"], {k: self._evaluated(v) for k, v in step["with"].items()}))
            else:
                self._run_shell(step, workspace)
        return self

    def _applies(self, step):
        condition = step.get("if", "success()")
        parts = [part.strip() for part in condition.split("&&")]
        if self.failed is not None and "always()" not in parts:
            return False
        return all(self._holds(part) for part in parts if part not in ("always()", "success()"))

    def _holds(self, part):
        left, operator, right = re.fullmatch(r"(\S+) (==|!=) '(.*)'", part).groups()
        return (self._value(left) == right) == (operator == "==")

    def _value(self, name):
        if match := re.fullmatch(r"steps\.([\w-]+)\.outputs\.(\w+)", name):
            return self.outputs.get(match[1], {}).get(match[2], "")
        if name == "runner.temp":
            return str(self.temporary)
        return self._contexts[name]

    def _evaluated(self, text):
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda match: str(self._value(match[1])), str(text))

    def _run_shell(self, step, workspace):
        assert "${{" not in step["run"], "a value of the context is code in a script; pass it by env"
        files = {name: self._folder / name for name in ("output", "path")}
        for file in files.values():
            file.write_text("")
        environment = dict(
            self._environment, GITHUB_OUTPUT=str(files["output"]), GITHUB_PATH=str(files["path"]),
            GITHUB_STEP_SUMMARY=str(self.summary),
            **{name: self._evaluated(value) for name, value in step.get("env", {}).items()})
        process = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]], cwd=workspace,
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.printed += process.stdout
        lines = files["output"].read_text().splitlines()
        self.outputs[step.get("id")] = dict(line.split("=", 1) for line in lines)
        for folder in files["path"].read_text().splitlines():
            self._environment["PATH"] = f"{folder}:{self._environment['PATH']}"
        if process.returncode != 0 and self.failed is None:
            self.failed = process.returncode
