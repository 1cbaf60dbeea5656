# SPDX-License-Identifier: Apache-2.0
"""The parts of a log."""

from pytest_storescope.log import LogParts

HEAD = b"2026-01-01 00:00:00.000000 app[7:%d] ObjectStore: annotation: "
OPENED = HEAD % 7 + b"log opened: vocabulary=4\n"
FIELDS = [HEAD % 7 + b"log fields: %s\n" % fields for fields in (b"0=statement sql", b"13=run id", b"5=counters n")]


def _part(tmp_path, before, text):
    log = tmp_path / "7-probe.log"
    log.write_bytes(before + text)
    return LogParts(log).part(len(before), len(before + text))


def test_a_part_has_the_announcements_before_it_also_behind_room_that_was_not_used(tmp_path):
    before = OPENED + b"".join(FIELDS) + b"~0 1  'a'\n~13 2  1\n" + bytes(100) + b"~0 1  'b'\n"
    assert _part(tmp_path, before, b"~13 5 7 2\n") == OPENED + b"".join(FIELDS) + b"~0 0  'a'\n~0 0  'b'\n~13 5 7 2\n"


def test_a_part_has_the_thread_of_the_line_before_and_no_counters_of_the_process(tmp_path):
    before = OPENED + b"".join(FIELDS) + b"~13 1 9 1\n~13 1  2\n"
    text = bytes(40) + b"~13 5  3\n~5 1  40\n~13 1  4\n"
    assert _part(tmp_path, before, text).endswith(b"~13 5 9 3\n~13 1  4\n")
