# SPDX-License-Identifier: Apache-2.0
"""The folder of a run's logs, one log for each process: pytest-xdist's workers share it."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

RUN, WORKER = "PYTEST_XDIST_TESTRUNUID", "PYTEST_XDIST_WORKER"


def worker_name():
    """Returns the name of this worker of pytest-xdist; None in other processes.

    A worker sets its variables itself. A pytest that runs in a test of a worker inherits them.
    """
    with open("/proc/self/environ", "rb") as file:
        inherited = file.read().split(b"\0")
    run = os.environ.get(RUN)
    is_own = run and f"{RUN}={run}".encode() not in inherited
    return os.environ.get(WORKER) if is_own else None


class LogFolder:
    def __init__(self, kept, owner):
        """Uses the folder that an option names, or a temporary one."""
        self._owner = owner
        self.path = Path(kept).absolute() if kept else None
        self.is_kept = bool(kept)
        if self.path and not owner and self.path.is_dir() and any(self.path.rglob("*.log")):
            raise pytest.UsageError(f"'{kept}' has logs of another run; empty it, or name another folder")

    @classmethod
    def of(cls, kept):
        return cls(kept, worker_name())

    def open(self):
        """Returns the folder of this process's recording."""
        if not self.path and self._owner:
            self.path = self.shared(os.environ.get(RUN, ""))
        elif not self.path:
            self.path = Path(tempfile.mkdtemp(prefix="storescope-"))
        # A worker's children write beside its log.
        if self._owner:
            self.path = self.path / f"{self._owner}-{os.getpid()}"
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.path

    @staticmethod
    def shared(run):
        return Path(tempfile.gettempdir()) / f"storescope-{run}"

    def logs(self, run):
        """Returns the logs of this process and of the workers of a run of pytest-xdist."""
        folders = {self.path} if self.is_kept or not run else {self.path, self.shared(run)}
        return sorted(log for folder in folders for log in folder.rglob("*.log"))

    def remove(self, run):
        if not self.is_kept:
            for folder in {self.path} | ({self.shared(run)} if run else set()):
                shutil.rmtree(folder, ignore_errors=True)
