# SPDX-License-Identifier: Apache-2.0
"""A recording that is a log has the counts of one through LTTng: the programs that were compared before, and hosts."""

import glob
import json
import os
import shutil
import subprocess
import tempfile
import time

import harness
from harness import *

_TIMES = ("Time", "time")


def _counts(trace):
    """What the summary of a recording counts: by statement and line, of transactions, of events."""
    process = report("summary", "--json", trace)
    expect(process.returncode == 0, process.stdout[-500:] + process.stderr[-500:])
    summary = json.loads(process.stdout)
    profile = summary["profile"]

    def work(value):
        # Compilations are counted by texts, which threads meet in any order.
        return {key: count for key, count in value.items()
                if not key.endswith(_TIMES) and key not in ("measured", "compiled", "recompiled")}

    observed = dict(profile["observed"], loops=[work(loop) for loop in profile["observed"]["loops"]])
    statements = sorted(
        (statement["sql"], sorted(work(statement["work"]).items()), statement["repeats"]["runs"],
         sorted((caller["location"]["file"], caller["location"]["line"], sorted(work(caller["work"]).items()))
                for caller in statement["callers"]))
        for statement in profile["statements"])
    waits = {key: count for key, count in profile["waits"].items() if key in ("commits", "rollbacks", "checkpoints", "busyFailures")}
    events = sorted((process.get("eventsEmitted", 0), process["eventsSeen"]) for process in profile["processes"])
    return {"statements": statements, "observed": observed, "waits": waits, "events": events,
            "doubts": summary["completeness"]["doubts"], "lost": summary["completeness"]["eventsLost"],
            "unrecognized": summary["completeness"]["unrecognizedLines"]}


def _recorded(option, command, input=None, inside=(), variables=(), user=None):
    folder = tempfile.mkdtemp(dir=scratch)
    if user is not None:
        os.chown(folder, user, user)
    trace = os.path.join(folder, "trace")
    arguments = harness._report_command(["record", *option, "-o", trace, "--", *command], variables)
    arguments["args"] = [*inside, *arguments["args"]]
    return subprocess.run(**arguments, input=input, capture_output=True, timeout=300), trace


def logs_have_the_counts_of_traces():
    """Of each program that ran before this test."""
    installed("lttng")
    if not harness.compared:
        raise Skipped("no program was compared before: run the module 'seen' as well")
    for command, input in harness.compared:
        counts = []
        for option in "--lttng", "--log":
            process, trace = _recorded([option], command, input=input)
            expect(process.returncode == 0, f"{command} {option}: {process.stderr[-500:]}")
            counts.append(_counts(trace))
            shutil.rmtree(trace)
        for key, value in counts[0].items():
            expect(value == counts[1][key], f"{' '.join(command)}: {key}: {value} through LTTng, {counts[1][key]} in a log")
        expect(not counts[0]["doubts"] and counts[0]["lost"] == 0, f"{command}: {counts[0]['doubts']}")
    print(f"      {len(harness.compared)} programs: the counts are equal", flush=True)


def a_place_is_announced_before_any_thread_runs_from_it():
    program = compiled("threads", "-DSLOW_NAMES", "-rdynamic", name="slow-names")
    process, trace = _recorded(["--log"], [program, "8"])
    expect(process.returncode == 0, process.stderr)
    statements = _counts(trace)["statements"]
    expect(len(statements) == 3, f"{statements}")
    for sql, _, _, lines in statements:
        expect(lines and all(line > 0 for _, line, _ in lines), f"{sql}: {lines}")


def a_log_has_less_than_250_bytes_a_statement():
    process, trace = _recorded(["--log"], [compiled("costs"), "point", "20000"])
    expect(process.returncode == 0, process.stderr)
    size = sum(os.path.getsize(log) for log in glob.glob(trace + "/*.log"))
    expect(size < 250 * 20000, f"{size} bytes")


def a_process_that_is_killed_leaves_all_its_statements():
    """What a process of a recording wrote is in the file without a system call of its own."""
    killed = ("import os, sqlite3\nc = sqlite3.connect(':memory:')\n"
              "for i in range(2000): c.execute('SELECT ?', (i,)).fetchall()\n")
    for end in "os.kill(os.getpid(), 9)", "os._exit(0)", "os.execv('/bin/true', ['true'])":
        process, trace = _recorded(["--log"], ["/bin/sh", "-c", 'python3 -c "$1"; true', "sh", killed + end])
        expect(process.returncode == 0, process.stderr)
        counts = _counts(trace)
        expect(counts["observed"]["runs"] == 2000 and counts["unrecognized"] == 0, f"{end}: {counts['observed']} {counts['unrecognized']}")


def a_program_that_executes_another_in_its_process_has_one_log():
    code = "import os, sqlite3, sys\nfor i in range({}): sqlite3.connect(':memory:').execute('SELECT 1').fetchall()\n"
    process, trace = _recorded(["--log"], ["python3", "-c", code.format(300) + "os.execvp('python3', ['python3', '-c', sys.argv[1]])",
                                           code.format(200)])
    expect(process.returncode == 0 and len(glob.glob(trace + "/*.log")) == 1, process.stderr + str(os.listdir(trace)))
    counts = _counts(trace)
    expect(counts["observed"]["runs"] == 500 and counts["unrecognized"] == 0, f"{counts['observed']} {counts['unrecognized']}")


def workers_that_end_by_os_exit_are_complete():
    """multiprocessing and Celery end theirs by it; nothing is lost."""
    code = ("import multiprocessing, sqlite3\n"
            "def work(i):\n"
            "  c = sqlite3.connect(':memory:')\n"
            "  return sum(c.execute('SELECT ?', (j,)).fetchone()[0] for j in range(100))\n"
            "if __name__ == '__main__':\n"
            "  pool = multiprocessing.get_context('fork').Pool(4)\n"
            "  print(sum(pool.map(work, range(8))))\n"
            "  pool.close()\n"
            "  pool.join()\n")
    path = os.path.join(scratch, "workers.py")
    with open(path, "w") as file:
        file.write(code)
    for option in "--log", "--lttng":
        if option == "--lttng" and not shutil.which("lttng"):
            continue
        process, trace = _recorded([option], ["python3", path])
        expect(process.returncode == 0 and "39600" in process.stdout, process.stdout + process.stderr)
        counts = _counts(trace)
        expect(counts["observed"]["runs"] == 800 and counts["doubts"] == [], f"{option}: {counts['observed']} {counts['doubts']}")


# Hosts on which LTTng may not work: the commands around the recorder, as root and for a user.
_HOSTS = {
    "a home that is read-only": "mount -t tmpfs -o ro none $HOME",
    "a /tmp that is read-only": "mount -t tmpfs -o ro none /tmp",
    "a private /tmp": "mount -t tmpfs -o mode=1777 none /tmp",
    "a small /dev/shm": "mount -t tmpfs -o size=64k,mode=1777 none /dev/shm",
    "no /dev/shm": "mount -t tmpfs -o size=4k,mode=555 none /dev/shm",
    "no lttng": "export PATH=/nowhere:$NARROW",
    "little memory": "ulimit -v 600000",
    "few descriptors": "ulimit -n 32",
    "small files": "ulimit -f 64",
}


def _hosted(setup, user):
    """The recording of a small program on such a host: recorded, or a sentence and the program runs on."""
    folder = tempfile.mkdtemp(prefix="storescope-host.", dir="/var/tmp")
    try:
        narrow, home, trace = (os.path.join(folder, name) for name in ("bin", "home", "trace"))
        for path in narrow, home:
            os.mkdir(path)
        # Where programs are but LTTng's.
        for name in "sh", "env", "python3", "mount", "setpriv":
            os.symlink(shutil.which(name), os.path.join(narrow, name))
        os.chmod(folder, 0o755)
        command = harness._report_command(["record", "-o", trace, "--", "/usr/bin/python3", "-c",
                                           "import sqlite3\nc = sqlite3.connect(':memory:')\n"
                                           "for i in range(300): c.execute('SELECT ?', (i,)).fetchall()\nprint('counts 300 300')"])
        tool = os.path.join(folder, "trace-report")
        shutil.copy(command["args"][0], tool)
        shutil.copytree(BUILD, os.path.join(folder, "probe"), ignore=lambda _, names: [
            name for name in names if not name.startswith("libstorescope")])
        as_user = []
        if user is not None:
            for path in folder, home:
                os.chown(path, user, user)
            as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        environment = dict(command["env"], HOME=home, NARROW=narrow, STORESCOPE_PROBE=os.path.join(folder, "probe", os.path.basename(PROBE)))
        is_limit = setup.startswith("ulimit")
        script = f'{setup} && exec "$@"'
        recorder = [tool, *command["args"][1:]]
        if is_limit:
            inner = [*as_user, "sh", "-c", script, "sh", *recorder]
        else:
            inner = ["unshare", "--mount", "sh", "-c", script, "sh", *as_user, *recorder]
        process = subprocess.run(inner, env=environment, text=True, capture_output=True, timeout=120, cwd=folder)
        expect(process.returncode == 0 and "counts 300 300" in process.stdout, f"{process.returncode} {process.stdout} {process.stderr[-500:]}")
        counts = _counts(trace) if glob.glob(trace + "/*") else None
        is_whole = counts and counts["observed"]["runs"] == 300 and counts["doubts"] == []
        # One sentence where anything is missing; of a log that the program's own limit ended, in the report.
        expect(is_whole or setup.startswith("ulimit -f") and counts["doubts"] or "not recorded" in process.stderr or "incomplete" in process.stderr,
               f"{counts and counts['observed']} {counts and counts['doubts']} {process.stderr[-500:]}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def hosts_where_lttng_may_not_work():
    if os.geteuid() != 0:
        raise Skipped("only root can mount")
    problems = []
    for name, setup in _HOSTS.items():
        for user in None, 61_007:
            try:
                _hosted(setup, user)
            except (Failed, subprocess.TimeoutExpired) as error:
                problems.append(f"{name}, {'root' if user is None else 'a user'}: {error}")
    expect(not problems, "\n".join(problems))


def a_private_tmp_leaves_the_hosts_recordings_alone():
    """Another recording of the host goes on, also where /tmp is not the host's and /run is."""
    installed("lttng")
    if os.geteuid() != 0:
        raise Skipped("only root can mount")
    folder = tempfile.mkdtemp(prefix="storescope-host.", dir="/var/tmp")
    try:
        go, started = os.path.join(folder, "go"), os.path.join(folder, "started")
        first = subprocess.Popen(
            **harness._report_command(["record", "--lttng", "-o", os.path.join(folder, "first"), "--", "/usr/bin/python3", "-c",
                                       "import os, sqlite3, sys, time\nc = sqlite3.connect(':memory:')\n"
                                       "for i in range(100): c.execute('SELECT 1').fetchall()\n"
                                       f"open({started!r}, 'w').close()\n"
                                       f"while not os.path.exists({go!r}): time.sleep(0.02)\n"
                                       "for i in range(100): c.execute('SELECT 1').fetchall()\n"]),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not os.path.exists(started) and first.poll() is None:
            time.sleep(0.02)
        second = harness._report_command(["record", "-o", os.path.join(folder, "second"), "--", "sqlite3", ":memory:", "SELECT 1"])
        second["args"] = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o mode=1777 none /tmp && exec "$@"', "sh", *second["args"]]
        process = subprocess.run(**second, capture_output=True, timeout=120)
        expect(process.returncode == 0, process.stderr)
        open(go, "w").close()
        output, errors = first.communicate(timeout=120)
        expect(first.returncode == 0, errors)
        counts = _counts(os.path.join(folder, "first"))
        expect(counts["observed"]["runs"] == 200 and counts["doubts"] == [], f"{counts['observed']} {counts['doubts']} {errors}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
