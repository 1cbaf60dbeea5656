# SPDX-License-Identifier: Apache-2.0
"""The probe in this process, and the log that it writes."""

import ctypes
import os
import sys
from contextlib import suppress
# Bound here: a test may replace the module's functions.
from os import listdir, stat
from time import time_ns

import pytest

LOADED_BY = "libstorescope-probe.so"
# A file system stamps a change with the last tick of its clock, of 10 ms at most.
TICK = 20_000_000


def is_observed():
    """Whether the probe is in this process already, as in `trace-report record -- pytest`."""
    with open("/proc/self/maps") as maps:
        return any(LOADED_BY in line for line in maps)


class Recording:
    """Observes this process from now on.

    The variables that configure the probe are set for libc alone while it begins: neither os.environ nor
    a child process has them.
    """

    def __init__(self, probe, folder):
        """Writes the log of this process in a folder of its own."""
        self.folder = folder
        # By which the probe writes a short log for each process.
        self._mark = folder / ".recording"
        self.log = folder / f"{os.getpid()}-probe.log"
        self._names, self._changed = [], None
        self.sqlite_was_loaded = "_sqlite3" in sys.modules
        variables = {
            "STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": str(folder), "STORE_PROBE_LTTNG": "0"}
        libc = ctypes.CDLL(None)
        before = {name: os.environ.get(name) for name in variables}
        for name, value in variables.items():
            libc.setenv(name.encode(), os.fsencode(value), 1)
        try:
            self._mark.write_text("1")
            self._probe = ctypes.CDLL(probe)
            self._log_end = self._probe.sqliteprobe_log_end
            self._log_end.restype = ctypes.c_longlong
            self._open_log()
        except (OSError, AttributeError) as error:
            raise pytest.UsageError(f"'{probe}' does not observe this process: {error}") from error
        finally:
            for name, value in before.items():
                if value is None:
                    libc.unsetenv(name.encode())
                else:
                    libc.setenv(name.encode(), os.fsencode(value), 1)

    def _open_log(self):
        """The probe opens its log with the first connection, here one that it does not report."""
        import sqlite3

        self._probe.sqliteprobe_exclude(1)
        sqlite3.connect(":memory:").close()
        self._probe.sqliteprobe_exclude(0)
        if not os.path.exists(self.log):
            raise OSError("it wrote no log; unset STORE_PROBE, or see trace-report doctor python3")

    def position(self):
        """The length of the log, where each event is when the call of SQLite returns, and the names of all logs.

        None where the folder cannot be listed.
        """
        try:
            return self._log_end(), self._logs()
        except OSError:
            return None

    def _logs(self):
        """The names in the folder, read again after a change, or shortly after one."""
        changed = stat(self.folder).st_mtime_ns
        if changed != self._changed:
            self._changed = changed if abs(time_ns() - changed) > TICK else None
            self._names = listdir(self.folder)
        return self._names

    def finish(self, status):
        """Writes the log's closing line; what this process does later is not recorded."""
        self._probe.sqliteprobe_finish(int(status))
        with suppress(OSError):
            self._mark.write_text("0")
