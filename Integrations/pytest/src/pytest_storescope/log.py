# SPDX-License-Identifier: Apache-2.0
"""The part of a log that belongs to one test."""

import re
# Bound here: a test may replace the built-in function.
from io import open

# Later lines refer to these by their numbers.
_ANNOUNCEMENT = re.compile(
    rb"^[^\]\n]*\] ObjectStore: annotation: (?:log opened|Connecting to|connection_opened|caller) .*\n",
    re.MULTILINE)
# Sums of the whole process, which a part does not reach.
_COUNTERS = re.compile(rb"^[^\]\n]*\] ObjectStore: annotation: counters .*\n", re.MULTILINE)


class LogParts:
    """Reads parts of a growing log, each with the lines that announced its connections and callers."""

    def __init__(self, path):
        self._path = path
        self._position = 0
        self._announced = []

    def part(self, start, end):
        """Returns the lines between two positions; parts are read in their order."""
        with open(self._path, "rb") as file:
            file.seek(self._position)
            before = file.read(max(start - self._position, 0))
            self._announced += _ANNOUNCEMENT.findall(before)
            self._position = max(start, self._position)
            file.seek(start)
            text = file.read(end - start)
        return b"".join(self._announced) + _COUNTERS.sub(b"", text)
