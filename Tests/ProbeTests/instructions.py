# SPDX-License-Identifier: Apache-2.0
"""What the probe costs, in instructions, beside the same program without it."""

import os
import re
import shutil
import subprocess
import tempfile

from harness import *


def _probe_without_lttng():
    """The probe, with a provider beside it that takes each event and does nothing."""
    folder = os.path.join(scratch, "null")
    if not os.path.exists(folder):
        os.makedirs(folder)
        shutil.copy(PROBE, folder)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I", os.path.join(ROOT, "Sources", "CSQLiteProbe"),
                        "-I", os.path.join(ROOT, "Sources", "CStoreTracepoints", "include"), "-o",
                        os.path.join(folder, "libstorescope-probe-lttng.so"), script("null-provider.c")], check=True)
    return os.path.join(folder, "libstorescope-probe.so")


def _instructions(command, probe=None, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STORE_")}
    if probe:
        environment.update(LD_PRELOAD=probe, **variables)
    process = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                             env=environment, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", process.stderr)
    expect(found, process.stderr[-300:])
    return int(found.group(1))


def _each(what, *probe, **variables):
    """Instructions of one row, query or insertion."""
    def of(count):
        program = ["--toggle-collect=" + ("fill" if what == "insert" else what), compiled("costs"), what, str(count)]
        return _instructions(program, *probe, **variables)
    return (of(12000) - of(2000)) / 10000


def added():
    """By case: the instructions that the probe adds to a query, an insertion or a row."""
    counts = {}
    for what in ("point", "insert", "fetch"):
        plain = _each(what)
        name = what.capitalize()
        counts["loaded" + name] = _each(what, PROBE, STORE_PROBE_LTTNG="0") - plain
        counts["recorded" + name] = _each(what, _probe_without_lttng(), STORE_CALLERS="none") - plain
    return counts


def loaded_and_not_recording_costs_two_percent_of_a_point_query():
    installed("valgrind")
    plain, loaded = _each("point"), _each("point", PROBE, STORE_PROBE_LTTNG="0")
    print(f"    {plain:.0f} instructions a query, {loaded - plain:+.0f} with the probe loaded")
    expect(loaded <= plain * 1.02, f"{loaded} instructions a query, {plain} without the probe")


def recording_a_fetch_costs_three_percent():
    installed("valgrind")
    plain, recorded = _each("fetch"), _each("fetch", _probe_without_lttng())
    print(f"    {plain:.0f} instructions a row, {recorded - plain:+.0f} recorded")
    expect(recorded <= plain * 1.03, f"{recorded} instructions a row, {plain} without the probe")


def recording_a_statement_costs_2000_instructions_beside_lttng():
    installed("valgrind")
    for what in ("point", "insert"):
        plain, recorded = _each(what), _each(what, _probe_without_lttng(), STORE_CALLERS="none")
        print(f"    {what}: {plain:.0f} instructions, {recorded - plain:+.0f} recorded without callers")
        expect(recorded - plain <= 2000, f"{recorded} instructions, {plain} without the probe")


def _log_folder():
    """The folder of a recording that goes on."""
    folder = tempfile.mkdtemp(dir=scratch)
    with open(os.path.join(folder, ".recording"), "w") as mark:
        mark.write("1")
    return folder


def recording_a_statement_in_a_log_costs_4500_instructions():
    installed("valgrind")
    for what in ("point", "insert"):
        plain = _each(what)
        recorded = _each(what, PROBE, STORE_PROBE_LTTNG="0", STORE_CALLERS="none", STORE_SQL_DEBUG="1",
                         STORE_SQL_DEBUG_FILE=_log_folder())
        print(f"    {what}: {plain:.0f} instructions, {recorded - plain:+.0f} recorded in a log without callers")
        expect(recorded - plain <= 4500, f"{recorded} instructions, {plain} without the probe")


def recording_a_statement_in_a_log_makes_no_system_call():
    installed("strace")
    def calls(count, **variables):
        command = ["strace", "-c", "-f", compiled("costs"), "point", str(count)]
        process = subprocess.run(command, env=dict(os.environ, **variables), capture_output=True, text=True)
        return int(re.search(r"(\d+)(?: +\d+)? total", process.stderr).group(1))
    logged = {"LD_PRELOAD": PROBE, "STORE_PROBE_LTTNG": "0", "STORE_SQL_DEBUG": "1"}
    few, many = (calls(count, STORE_SQL_DEBUG_FILE=_log_folder(), **logged) for count in (2000, 22000))
    print(f"    {many - few:+d} system calls for 20,000 statements")
    expect(many - few <= 200, f"{few} and {many} system calls")


def _line_of(program):
    """Instructions for the line of a run."""
    def each(**variables):
        def of(count):
            return _instructions([*program, "point", str(count)], _probe_without_lttng(), PYTHONHASHSEED="0", **variables)
        return (of(3000) - of(1000)) / 2000
    added = each() - each(STORE_CALLERS="none")
    print(f"    {added:+.0f} instructions a query for its line")
    return added


def the_line_of_python_costs_6000_instructions():
    """It is looked up at each run; 6,000 are some 800 ns."""
    installed("valgrind")
    expect(_line_of(["/usr/bin/python3", script("costs.py")]) <= 6000, "more than 6,000 instructions")


def the_line_of_ruby_costs_3000_instructions():
    installed("valgrind", "ruby")
    if subprocess.run(["ruby", "-e", "require 'sqlite3'"], capture_output=True).returncode != 0:
        raise Skipped("ruby-sqlite3 is not installed")
    expect(_line_of(["ruby", script("costs.rb")]) <= 3000, "more than 3,000 instructions")


def the_line_of_a_task_costs_20000_instructions():
    """20,000 are some 1,800 ns."""
    installed("valgrind")
    imported(PYTHON, "aiosqlite")
    expect(_line_of([PYTHON, script("costs_aiosqlite.py")]) <= 20000, "more than 20,000 instructions")


def a_process_without_sqlite_pays_little():
    installed("valgrind")
    plain, loaded = _instructions(["/bin/true"]), _instructions(["/bin/true"], PROBE, STORE_PROBE_LTTNG="0")
    print(f"    {loaded - plain:+d} instructions of /bin/true")
    # 0.3 ms are some 1,000,000 instructions; loading and relocating are 100,000 of them.
    expect(loaded - plain < 200_000, f"{loaded - plain} instructions more")


def _opening(program, *database, **variables):
    """Instructions of one opening and closing of a file."""
    def of(rounds):
        path = os.path.join(scratch, "openings.db")
        command = ["--toggle-collect=hooked", program, os.path.abspath(__file__), str(rounds), *[path] * bool(database), *database[1:]]
        return _instructions(command, **variables)
    return (of(24) - of(4)) / 20000


def opening_a_file_costs_a_process_without_sqlite_nothing():
    installed("valgrind")
    program = compiled("openings", name="openings-without", libraries=())
    plain, loaded = _opening(program), _opening(program, probe=PROBE, STORE_PROBE_LTTNG="0")
    expect(loaded == plain, f"{loaded} instructions, {plain} without the probe")


def opening_a_file_beside_sqlite_costs_85_instructions():
    """An opening and closing take some 3 microseconds, nearly all in the kernel; 85 instructions are about 1% of it."""
    installed("valgrind")
    program = compiled("openings", "-DWITH_SQLITE")
    for name, limit, database in [("no connection", 0, []), ("a connection", 85, [1]), ("a closed connection", 32, [1, "closed"])]:
        plain, loaded = _opening(program, *database), _opening(program, *database, probe=PROBE, STORE_PROBE_LTTNG="0")
        print(f"    {name}: {plain:.0f} instructions, {loaded - plain:+.0f} with the probe")
        expect(loaded - plain <= limit, f"{name}: {loaded} instructions, {plain} without the probe")


def opening_files_beside_sqlite_adds_few_system_calls():
    """Those of the first files, which may be other names of the database, and few for files whose name ends as its name does."""
    installed("strace")
    folder = tempfile.mkdtemp(dir=scratch)
    for number in range(1000):
        open(os.path.join(folder, f"{number}.md"), "w").close()
    def calls(**variables):
        command = ["strace", "-c", "-f", compiled("openings", "-DWITH_SQLITE"), os.path.join(folder, "%d.md"), "100",
                   os.path.join(scratch, "calls.db")]
        process = subprocess.run(command, env=dict(os.environ, **variables), capture_output=True, text=True)
        return int(re.search(r"(\d+)(?: +\d+)? total", process.stderr).group(1))
    plain, loaded = calls(), calls(LD_PRELOAD=PROBE, STORE_PROBE_LTTNG="0")
    print(f"    {plain} system calls, {loaded - plain:+d} with the probe")
    # Of 200,000 openings and closings, half of them hooked.
    expect(loaded - plain <= 3200, f"{loaded} system calls, {plain} without the probe")
