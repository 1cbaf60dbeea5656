# SPDX-License-Identifier: Apache-2.0
"""The part of a log that belongs to one test."""

import re
# Bound here: a test may replace the built-in function.
from io import open

# Later lines refer to these by their numbers.
_OPENED = re.compile(rb"^[^\]\n]*\] ObjectStore: annotation: log opened: .*\n", re.MULTILINE)
_FIELDS = re.compile(rb"^[^\]\n]*\] ObjectStore: annotation: log fields: (\d+)=(\w+) .*\n", re.MULTILINE)
_ANNOUNCED = {b"caller", b"connection_opened", b"statement"}
# A short line: the number of its event, the time since the line before, its thread, and the values.
_SHORT = re.compile(rb"^~(\d+) (\d+) (\d*) (.*\n)", re.MULTILINE)
_THREAD = re.compile(rb"^(?:~\d+ \d+ |[^\]\n]*\[\d+:)(\d+)", re.MULTILINE)


def _text(file, start, end):
    """The lines between two positions, without the NULs of room that was not used."""
    file.seek(start)
    return file.read(max(end - start, 0)).replace(b"\0", b"")


class LogParts:
    """Reads parts of a growing log, each with the lines that announced its connections, callers and statements."""

    def __init__(self, path):
        self._path = path
        self._position = 0
        self._thread = b""
        self._headers, self._numbers = [], {}
        self._announced = {}

    def part(self, start, end):
        """Returns the lines between two positions; parts are read in their order."""
        with open(self._path, "rb") as file:
            self._read(_text(file, self._position, start))
            self._position = max(start, self._position)
            text = _text(file, start, end)
        announced = [b"~%b 0  %b" % line for line in self._announced]
        # Sums of the whole process, which a part does not reach.
        counters = self._numbers_of(text, {b"counters"})
        lines = _SHORT.sub(lambda line: b"" if line[1] in counters else line[0], text)
        return b"".join(self._headers + announced) + self._with_thread(lines)

    def _read(self, text):
        self._headers += _OPENED.findall(text)
        self._headers += (line[0] for line in _FIELDS.finditer(text))
        announced = self._numbers_of(text, _ANNOUNCED)
        self._announced.update(((line[1], line[4]), None) for line in _SHORT.finditer(text) if line[1] in announced)
        for thread in _THREAD.findall(text)[-1:]:
            self._thread = thread

    def _numbers_of(self, text, names):
        self._numbers.update((line[1], line[2]) for line in _FIELDS.finditer(text))
        return {number for number, name in self._numbers.items() if name in names}

    def _with_thread(self, text):
        """A line without a thread has that of the line before, which may be of another test."""
        return re.sub(rb"\A~(\d+) (\d+)  ", rb"~\1 \2 %b " % self._thread, text)
