#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs small programs that fork, restrict themselves and have little room: alone, with the log, with that of a recording,
recorded, and recorded with everything. Output and exit code are the same each time.

    Tests/ProbeTests/hostile.py [PROGRAM[/CASE]...]

As root it runs in namespaces of its own, with a session daemon of its own that no other recording shares.
"""

import concurrent.futures
import glob
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(ROOT, "Tests", "ProbeTests", "hosts")
PROBE = os.path.join(ROOT, ".build", "probe", "libstorescope-probe.so")
# By name: the source and the flag.
SANITIZERS = {"address": ("forks", "-fsanitize=address"), "address_calls": ("calls", "-fsanitize=address"),
              "thread": ("forks", "-fsanitize=thread"), "undefined": ("calls", "-fsanitize=undefined,bounds")}
# LTTng does not fit in there: the program runs untraced, and says so once.
UNTRACED = {"limits/address_space", "limits/data_segment", "limits/descriptors", "limits/descriptors_one",
            "limits/descriptors_in_use", "limits/one_process", "limits/processes", "sandboxes/filter_before",
            "sandboxes/filter_of_sockets", "sandboxes/filter_of_sockets_by_errors", "sandboxes/filter_of_threads",
            "sandboxes/filter_of_threads_by_errors", "sandboxes/inherited_filter", "sandboxes/other_root_before"}
# The same from a later time on, or for a child.
PARTLY_TRACED = {"sandboxes/filter_in_a_child", "sandboxes/filter_of_all_threads", "sandboxes/strict_mode"}
# Their run-time libraries count threads.
UNTRACED_PROGRAMS = {"address", "address_calls", "thread"}
# The path of the log leads nowhere, or no file can be opened.
UNLOGGED = {"sandboxes/other_root_before"}
NEEDS_ROOT = {"limits/processes", "limits/one_process", "sandboxes/other_root_before", "sandboxes/other_root_after",
              "sandboxes/another_user"}
NOTICE = re.compile(r"^StoreScope: warning: .*\n", re.M)
# Sanitizers print the process.
PROCESS = re.compile(r"==\d+==|\(pid=\d+\)")
TIMEOUT = 60
WORKERS = 3


def isolated():
    """Runs this program again where LTTng's files and processes are its own; they end with it."""
    if os.environ.get("HOSTILE_HOSTS"):
        return
    os.environ["HOSTILE_HOSTS"] = "1"
    own = "mount -t tmpfs tmpfs /dev/shm && mkdir -p /run/lttng && mount -t tmpfs tmpfs /run/lttng && exec \"$@\""
    command = [sys.executable, os.path.abspath(__file__), *sys.argv[1:]]
    if os.geteuid() == 0:
        command = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", own, "sh", *command]
    os.execvp(command[0], command)


class Hosts:
    def __init__(self):
        self.scratch = tempfile.mkdtemp(prefix="hostile-hosts.")
        os.chmod(self.scratch, 0o755)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("STORE_", "LTTNG_"))}
        self.environment["LTTNG_HOME"] = self.scratch
        self.daemon = None
        self.numbers = itertools.count(1)

    def compiled(self, source, *flags, name):
        output = os.path.join(self.scratch, name)
        subprocess.run(["cc", "-O1", "-g", "-Wall", "-Wno-unused-result", *flags, "-o", output, source, "-lsqlite3", "-lpthread"],
                       check=True)
        return output

    def programs(self):
        """Each program's name, path and cases."""
        for source in sorted(glob.glob(os.path.join(PROGRAMS, "*.c"))):
            name = os.path.basename(source)[:-2]
            yield name, self.compiled(source, name=name)
        for name, (source, flag) in SANITIZERS.items():
            yield name, self.compiled(os.path.join(PROGRAMS, source + ".c"), flag, name=name)

    def lttng(self, *arguments):
        return subprocess.run(["lttng", "--no-sessiond", *arguments], env=self.environment, capture_output=True, text=True,
                              timeout=TIMEOUT)

    def start_daemon(self):
        self.daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(500):
            if self.lttng("list").returncode == 0:
                return
            time.sleep(0.02)
        raise SystemExit("no session daemon")

    def start_session(self, trace, number):
        name = f"hosts-{number}"
        for arguments in (("create", name, "--output=" + trace),
                          ("enable-channel", "-u", "-s", name, "--subbuf-size=1M", "--num-subbuf=4", "all"),
                          ("enable-event", "-u", "-s", name, "-c", "all", "sqliteprobe:*", f"--filter=recording == {number}"),
                          ("start", name)):
            made = self.lttng(*arguments)
            if made.returncode != 0:
                raise SystemExit(f"lttng {' '.join(arguments)}: {made.stdout}{made.stderr}")
        return name

    def run(self, command, variables=()):
        folder = tempfile.mkdtemp(dir=self.scratch)
        os.chmod(folder, 0o777)
        try:
            process = subprocess.run(command, env={**self.environment, **dict(variables)}, capture_output=True,
                                     text=True, errors="replace", timeout=TIMEOUT, cwd=folder, stdin=subprocess.DEVNULL)
            return process.returncode, process.stdout, process.stderr
        except subprocess.TimeoutExpired as error:
            return "timeout", str(error.stdout), str(error.stderr)

    def recorded(self, command, variables):
        """The result, and the number of statements in the trace."""
        trace = tempfile.mkdtemp(dir=self.scratch)
        number = next(self.numbers)
        session = self.start_session(trace, number)
        result = self.run(command, {"LD_PRELOAD": PROBE, "LTTNG_UST_REGISTER_TIMEOUT": "30000",
                                    "STORE_TRACE_RECORDING": str(number), **variables})
        self.lttng("stop", session)
        self.lttng("destroy", session)
        reader = subprocess.run(["babeltrace2", "-c", "sink.text.details", trace], capture_output=True, text=True)
        shutil.rmtree(trace)
        return result, reader.stdout.count("Event `sqliteprobe:statement_run`")

    def differences(self, name, command):
        """How a program differs from itself alone, in each of the four other ways."""
        address = {"ASAN_OPTIONS": "verify_asan_link_order=0"} if name.startswith("address") else {}
        is_untraced = name in UNTRACED or name.split("/")[0] in UNTRACED_PROGRAMS
        alone = self.run(command, address)
        if alone[0] == "timeout":
            yield f"hangs alone: {alone[1]}"
            return
        folder = tempfile.mkdtemp(dir=self.scratch)
        os.chmod(folder, 0o777)
        log = os.path.join(folder, "log")
        file = {"STORE_SQL_DEBUG_FILE": log, **address}
        # As a recording without LTTng sets it.
        recording = os.path.join(folder, "recording")
        os.mkdir(recording)
        os.chmod(recording, 0o777)
        with open(os.path.join(recording, ".recording"), "w") as mark:
            mark.write("1")
        logged = {"STORE_SQL_DEBUG": "1", "STORE_PROBE_LTTNG": "0", "LD_PRELOAD": PROBE, **file}
        ways = (("log", logged), ("log of a recording", {**logged, "STORE_SQL_DEBUG_FILE": recording}),
                ("recorded", address),
                ("everything", {"STORE_SQL_DEBUG": "2", "STORE_TRACE_VALUES": "1", "STORE_TRACE_IO": "1",
                                "STORE_CALLERS": "all", **file}))
        for way, variables in ways:
            if way.startswith("log"):
                result, events = self.run(command, variables), None
            else:
                result, events = self.recorded(command, variables)
            errors, notices = NOTICE.subn("", result[2])
            for what, is_, was in (("exit code", result[0], alone[0]), ("output", result[1], alone[1]),
                                   ("error output", PROCESS.sub("", errors), PROCESS.sub("", alone[2]))):
                if is_ != was:
                    yield f"{way}: {what} {str(is_)[-300:]!r}, alone {str(was)[-300:]!r}"
            if events is not None and (events == 0) != is_untraced:
                yield f"{way}: {events} statements in the trace"
            if events is not None and (notices > 0) != (is_untraced or name in PARTLY_TRACED):
                yield f"{way}: {notices} notices: {result[2][:300]!r}"
            texts = [open(path, errors="replace").read() for path in (log, *glob.glob(recording + "/*.log")) if os.path.exists(path)]
            is_logged = any("ObjectStore: sql: " in text or "=statement_run " in text for text in texts)
            if way != "recorded" and is_logged == (name in UNLOGGED):
                yield f"{way}: {'a' if is_logged else 'no'} statement in the log: {result[2][:300]!r}"
            if os.path.exists(log):
                os.remove(log)
            for path in glob.glob(recording + "/*.log"):
                os.remove(path)


def main(names):
    isolated()
    if not os.path.exists(PROBE):
        raise SystemExit("the probe is not built: make probe")
    hosts = Hosts()
    count = failed = 0
    try:
        hosts.start_daemon()
        cases = [(f"{program}/{case}", [path, case]) for program, path in hosts.programs()
                 for case in subprocess.run([path], capture_output=True, text=True, check=True).stdout.split()]
        if names:
            cases = [case for case in cases if case[0] in names or case[0].split("/")[0] in names]
        if os.geteuid() != 0:
            cases = [case for case in cases if case[0] not in NEEDS_ROOT]
        with concurrent.futures.ThreadPoolExecutor(max_workers=WORKERS) as pool:
            for (name, _), differences in zip(cases, pool.map(lambda case: list(hosts.differences(*case)), cases)):
                count += 1
                failed += bool(differences)
                print("FAIL " if differences else "pass ", name, *["\n      " + text for text in differences], flush=True)
    finally:
        if hosts.daemon:
            hosts.daemon.kill()
            hosts.daemon.wait()
        shutil.rmtree(hosts.scratch, ignore_errors=True)
    print(f"{count - failed} of {count} programs run as they do alone")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
