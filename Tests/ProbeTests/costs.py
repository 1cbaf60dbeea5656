#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the probe costs, beside the same program without it, in interleaved rounds.

    Tests/ProbeTests/costs.py [ROUNDS] [PROGRAM...]

Prints medians; the last column is the time for callers, the difference between 'with callers' and 'recorded'.
`recorded` is a session of LTTng without a reader in the way (a flight recorder), which a session daemon of its own
holds; `log` is a recording without LTTng.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness as tests
from interpreters import _node

CASES = [("C", "point", 300000), ("C", "fetch", 200000), ("C", "insert", 100000), ("Python", "point", 50000),
         ("Python", "fetch", 200000), ("aiosqlite", "point", 10000), ("Ruby", "point", 200000), ("Node", "point", 300000)]
MODES = [("without", None), ("loaded", None), ("log", None), ("recorded", "none"), ("with callers", "sample"),
         ("all callers", "all")]


def command(language, what, count):
    program = {"C": lambda: [tests.compiled("costs")], "Python": lambda: ["/usr/bin/python3", tests.script("costs.py")],
               "aiosqlite": lambda: [tests.PYTHON, tests.script("costs_aiosqlite.py")],
               "Ruby": lambda: ["ruby", tests.script("costs.rb")],
               "Node": lambda: [_node(), "--no-warnings", tests.script("costs.js")]}[language]()
    return program + [what, str(count)]


def measure(mode, callers, command, home):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STORE_")}
    if mode != "without":
        environment["LD_PRELOAD"] = tests.PROBE
    if callers:
        environment.update(LTTNG_HOME=home, STORE_CALLERS=callers)
    elif mode == "log":
        folder = os.path.join(home, "log")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        with open(os.path.join(folder, ".recording"), "w") as mark:
            mark.write("1")
        environment.update(STORE_PROBE_LTTNG="0", STORE_CALLERS="none", STORE_SQL_DEBUG="1", STORE_SQL_DEBUG_FILE=folder)
    elif mode == "loaded":
        # Root has one session daemon for the whole machine, in which others may record.
        environment.update(STORE_PROBE_LTTNG="0")
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def lttng(home, *arguments):
    subprocess.run(["lttng", *arguments], env=dict(os.environ, LTTNG_HOME=home), check=True,
                   stdout=subprocess.DEVNULL)


def main(arguments):
    rounds = int(arguments[0]) if arguments else 11
    home = tempfile.mkdtemp(prefix="probe-costs.")
    daemon = None
    if subprocess.run(["pgrep", "-x", "lttng-sessiond"], capture_output=True).returncode != 0:
        daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=dict(os.environ, LTTNG_HOME=home),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(50):
            if subprocess.run(["lttng", "list"], env=dict(os.environ, LTTNG_HOME=home),
                              capture_output=True).returncode == 0:
                break
        measure_all(rounds, home, [case for case in CASES if case[0] in arguments[1:] or not arguments[1:]])
    finally:
        if daemon:
            daemon.terminate()
            daemon.wait()


def measure_all(rounds, home, cases):
    print("| program | " + " | ".join(mode for mode, _ in MODES) + " | for callers |")
    for case in cases:
        times = {mode: [] for mode, _ in MODES}
        for _ in range(rounds):
            for mode, callers in MODES:
                is_recording = callers is not None
                if is_recording:
                    lttng(home, "create", "probe-costs", "--snapshot")
                    lttng(home, "enable-event", "-u", "sqliteprobe:*")
                    lttng(home, "add-context", "-u", "-t", "vpid", "-t", "vtid", "-t", "procname")
                    lttng(home, "start")
                times[mode].append(measure(mode, callers, command(*case), home))
                if is_recording:
                    lttng(home, "destroy", "probe-costs")
        base = statistics.median(times["without"])
        cells = [f"{base:.0f} ns"]
        for mode, _ in MODES[1:]:
            more = statistics.median(t - b for t, b in zip(times[mode], times["without"]))
            cells.append(f"{more:+.0f} ns ({100 * more / base:+.1f}%)")
        cells.append(f"{statistics.median(a - b for a, b in zip(times['with callers'], times['recorded'])):+.0f} ns")
        print(f"| {case[0]}, {case[1]} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
