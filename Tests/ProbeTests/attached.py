# SPDX-License-Identifier: Apache-2.0
"""Attaches to programs that run, under load and at points where nothing may be loaded."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from harness import (PROBE, PYTHON, Failed, Skipped, compiled, expect, imported, installed, report, report_process, script,
                     scratch)

# Of each program: `make test-attach` sets 40.
ATTACHES = int(os.environ.get("ATTACHES", "2"))


def _needs_ptrace():
    """A container may forbid it, to root as well."""
    child = subprocess.Popen(["sleep", "60"])
    code = "import ctypes, sys; sys.exit(ctypes.CDLL(None).ptrace(0x4206, int(sys.argv[1]), 0, 0) != 0)"
    try:
        if subprocess.run([sys.executable, "-c", code, str(child.pid)]).returncode != 0:
            raise Skipped("ptrace is not permitted")
    finally:
        child.kill()
        child.wait()


class _Program:
    """A program that prints `ready`, runs until its input ends, and prints `ok`."""

    def __init__(self, command):
        _needs_ptrace()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, start_new_session=True)
        expect(self.process.stdout.readline() == "ready\n", "the program does not start: " + str(command))

        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def ends_well(self, last=""):
        output, errors = self.process.communicate(last, timeout=60)
        expect((self.process.returncode, output, errors) == (0, "ok\n", ""),
               f"ended with {self.process.returncode}: {output!r} {errors[-500:]}")


def _attach(program, *arguments, seconds=0.2):
    folder = tempfile.mkdtemp(prefix="attach.", dir=scratch)
    shutil.rmtree(folder)
    result = report("attach", str(program.pid), "--seconds", str(seconds), "-o", folder, *arguments)
    return result, folder


def _under_load(command, finds_statements=True, seconds=0.2, finds_pid=None):
    with _Program(command) as program:
        if finds_pid:
            program.pid = finds_pid(program)
        attached = refused = 0
        while attached < ATTACHES:
            result, folder = _attach(program, seconds=seconds)
            expect(program.process.poll() is None, f"the program ended with {program.process.poll()}")
            # A process that is never at a safe point is refused by a sentence.
            if "try again" in result.stderr:
                refused += 1
                expect(refused <= 1 + ATTACHES // 10, f"{refused} attaches were refused, {attached} were not: {result.stderr}")
                continue
            if finds_statements:
                expect(result.returncode == 0, f"attach ends with {result.returncode}: " + result.stderr[-500:])
            expect(result.stderr.startswith("records process") or "records process" in result.stderr, result.stderr)
            expect("hooks stay" not in result.stderr, result.stderr)
            attached += 1
            shutil.rmtree(folder, ignore_errors=True)
        program.ends_well()


def attaches_to_threads_that_allocate_load_and_fork():
    # Its threads take the locks of the loader in turn, so that a recording begins late.
    _under_load([compiled("attached")], seconds=1)


def attaches_to_python():
    _under_load([sys.executable, script("attached.py")])


def attaches_to_ruby():
    installed("ruby")
    _under_load(["ruby", script("attached.rb")])


def attaches_to_php():
    installed("php")
    _under_load(["php", script("attached.php")])


def _fpm():
    """The command of a server whose workers are PHP-FPM's."""
    program = next((p for p in sorted(os.listdir("/usr/sbin")) if p.startswith("php-fpm")), None)
    if not program:
        raise Skipped("php-fpm is not installed")
    return [sys.executable, script("attached_fpm.py"), program]


def _fpm_worker(program):
    """A worker is a child of the manager, which is a child of the program."""
    return _children(_children(program.pid)[0])[0]


def attaches_to_workers_of_php_fpm():
    _under_load(_fpm(), finds_pid=_fpm_worker)


def attached_worker_has_its_loop_at_its_line():
    with _Program(_fpm()) as program:
        program.pid = _fpm_worker(program)
        result, folder = _attach(program, seconds=1)
        expect(result.returncode == 0, result.stderr[-500:])
        summary = report(folder).stdout
        expect("attached_fpm.php:8" in summary and "AvoidQueryInLoop" in summary, "the loop's line is missing: " + summary[:2000])
        program.ends_well()


def attaches_to_node():
    installed("node")
    _under_load(["node", script("attached.js")], finds_statements=False)


def attached_loop_is_found_at_its_line():
    with _Program([sys.executable, script("attached.py")]) as program:
        result, folder = _attach(program, seconds=1)
        expect(result.returncode == 0, result.stderr[-500:])
        summary = report(folder)
        lines = open(script("attached.py")).read().splitlines()
        line = next(number for number, text in enumerate(lines, 1) if "WHERE author" in text)
        expect(f"attached.py:{line}" in summary.stdout, "the loop's line is missing: " + summary.stdout[:2000])
        expect("2 connections were open before the recording began" in summary.stdout + summary.stderr,
               "what was not observed is missing: " + summary.stdout[-2000:])
        program.ends_well()


def _is_detached(program):
    folder = os.path.join("/tmp", f"trace-report-{os.geteuid()}")
    expect("was not recorded" in report("attach", "--detach", str(program.pid)).stdout, "the probe stays active")
    expect(not any(name.startswith("live-") for name in os.listdir(folder)), "the log stays")
    program.ends_well()


def top_follows_a_process_that_runs():
    with _Program([sys.executable, script("attached.py")]) as program:
        result = report("top", "--pid", str(program.pid), "--json", "--interval", "500ms", "--count", "3")
        expect(result.returncode == 0, result.stderr[-500:])
        last = json.loads(result.stdout.splitlines()[-1])
        expect(last["totals"]["observed"]["statements"] > 100, f"{last['totals']}")
        expect(any(statement.get("caller", {}).get("file", "").endswith("attached.py") for statement in last["statements"]),
               f"{last['statements']}")
        # A log that another one left behind.
        result = report("top", "--pid", str(program.pid), "--json", "--interval", "500ms", "--count", "3")
        expect(json.loads(result.stdout.splitlines()[-1])["totals"]["observed"]["statements"] > 100, result.stderr)
        _is_detached(program)


def top_that_was_killed_is_replaced():
    with _Program([sys.executable, script("attached.py")]) as program:
        arguments = ["top", "--pid", str(program.pid), "--json", "--interval", "200ms"]
        killed = report_process(*arguments)
        if not killed.stdout.readline():
            raise Failed(killed.stderr.read())
        killed.kill()
        killed.communicate()
        for _ in range(50):
            result = report(*arguments, "--count", "3")
            if "recorded already" not in result.stderr:
                break
            time.sleep(0.1)
        expect(result.returncode == 0, result.stderr[-500:])
        _is_detached(program)


def serve_has_the_sums_of_a_process_that_runs():
    with _Program([sys.executable, script("attached.py")]) as program:
        server = report_process("serve", "--pid", str(program.pid), "--listen", "127.0.0.1:0")
        address = server.stdout.readline().split()[-1]
        for _ in range(50):
            text = urllib.request.urlopen(address, timeout=10).read().decode()
            found = [line for line in text.splitlines() if line.startswith("storescope_statement_runs_total")]
            if found:
                break
            time.sleep(0.1)
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=30)
        expect(found, text[:1000] + errors)
        _is_detached(program)


def top_refuses_as_attach_does():
    process = subprocess.Popen(["true"])
    process.wait()
    for command in "top", "serve":
        result = report(command, "--pid", str(process.pid))
        expect(result.returncode == 1 and f"no process {process.pid}" in result.stderr, result.stderr)
        expect(report(command, "--pid", "1", "--", "true").returncode == 64, "a process and a program are accepted")


def _line_of(name, comment):
    """The line of a program that ends with a comment, as `file:line`."""
    lines = open(script(name)).read().splitlines()
    return f"{name}:{next(number for number, text in enumerate(lines, 1) if text.endswith('  # ' + comment))}"


def _findings(folder):
    """The rules of a recording's findings, each with its line."""
    found = json.loads(report("summary", "--json", folder).stdout)["findings"]
    return {(finding["rule"], "{}:{}".format(os.path.basename(finding["caller"]["file"]), finding["caller"]["line"]))
            for finding in found if "caller" in finding}


def attached_server_has_its_loop_at_the_line_of_its_task():
    """FastAPI by uvicorn, whose statements run on a thread of aiosqlite."""
    for module in "fastapi", "uvicorn", "httpx", "aiosqlite":
        imported(PYTHON, module)
    with _Program([PYTHON, script("attached_fastapi.py")]) as program:
        result, folder = _attach(program, seconds=2)
        expect(result.returncode == 0, result.stderr[-500:])
        findings = _findings(folder)
        expect(("AvoidQueryInLoop", _line_of("attached_fastapi.py", "loop")) in findings, f"{findings}")
        program.ends_well()


def attached_pool_of_one_that_leaks_is_found_at_its_line():
    imported(PYTHON, "sqlalchemy")
    with _Program([PYTHON, script("attached_engine.py"), "leak"]) as program:
        result, _ = _attach(program, seconds=5)
        expect(result.returncode == 0, result.stderr[-500:])
        text = result.stdout.partition("2 threads wait for a connection of SQLAlchemy's pool")[2]
        expect(_line_of("attached_engine.py", "waits") in text, "who waits is missing: " + result.stdout[-2000:])
        expect(_line_of("attached_engine.py", "leak") + "," in text, "the line that leaks is missing: " + result.stdout[-2000:])
        program.ends_well()


def attached_server_that_keeps_its_connection_is_found_at_its_line():
    """A request leaves a transaction open, and the others give up waiting again and again."""
    imported(PYTHON, "sqlalchemy")
    with _Program([PYTHON, script("attached_pool.py")]) as program:
        recorder = report_process("attach", str(program.pid), "--seconds", "5", "-o", os.path.join(scratch, "kept"))
        expect("records process" in recorder.stderr.readline(), "the recorder does not begin")
        time.sleep(1)
        program.process.stdin.write("\n")
        program.process.stdin.flush()
        expect(program.process.stdout.readline() == "kept\n", "no request keeps the connection")
        output, errors = recorder.communicate(timeout=60)
        text = output.partition("for a connection of SQLAlchemy's pool")[2]
        expect(_line_of("attached_pool.py", "kept") + "," in text, "the line is missing: " + output[-2000:] + errors)
        program.ends_well()


def attached_pool_that_is_in_use_leaks_nothing():
    imported(PYTHON, "sqlalchemy")
    with _Program([PYTHON, script("attached_engine.py"), "keep"]) as program:
        for _ in range(ATTACHES):
            result, _ = _attach(program, seconds=1)
            expect(result.returncode == 0, result.stderr[-500:])
            expect("'s pool" not in result.stdout, result.stdout[-1000:])
        program.ends_well()


def locks_shows_what_the_holder_runs():
    path = os.path.join(scratch, "held.db")
    with _Program([sys.executable, script("attached_holder.py"), path]) as program:
        plain = report("locks", path)
        expect("libstorescope-probe" not in open(f"/proc/{program.pid}/maps").read(), "locks alone loads the probe")
        result = report("locks", path, "--attach")
        expect(result.returncode == 0, result.stderr[-500:])
        expect(plain.stdout.splitlines()[0].partition("  ")[2] in result.stdout, result.stdout)
        expect("holder is at " in result.stdout and any(_line_of("attached_holder.py", line) + " (hold)" in result.stdout
               for line in ("holds", "reads")), result.stdout)
        expect(_line_of("attached_holder.py", "main") in result.stdout, result.stdout)
        expect("× SELECT count(*) FROM t WHERE a = ? at " in result.stdout and "secret" not in result.stdout, result.stdout)
        _is_detached(program)


def locks_refuses_as_attach_does():
    path = os.path.join(scratch, "stopped.db")
    with _Program([sys.executable, script("attached_holder.py"), path]) as program:
        program.process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        result = report("locks", path, "--attach")
        expect(result.returncode == 1 and "it is stopped; continue it" in result.stderr, result.stderr)
        expect("the writer lock is held by" in result.stdout, result.stdout)
        program.process.send_signal(signal.SIGCONT)
        program.ends_well()


def detached_program_calls_sqlite_directly():
    with _Program([sys.executable, script("attached.py")]) as program:
        _attach(program)
        expect("was not recorded" in report("attach", "--detach", str(program.process.pid)).stdout,
               "the end of attach leaves the probe active")
        result, folder = _attach(program)
        expect(result.returncode == 0, "cannot attach again: " + result.stderr)
        program.ends_well()


def recording_that_was_killed_is_replaced():
    with _Program([sys.executable, script("attached.py")]) as program:
        recorder = report_process("attach", str(program.process.pid), "-o", os.path.join(scratch, "killed"))
        expect("records process" in recorder.stderr.readline(), "the recorder does not begin")
        time.sleep(0.2)
        recorder.kill()
        recorder.communicate()
        for _ in range(50):
            result, _ = _attach(program)
            if "recorded already" not in result.stderr:
                break
            time.sleep(0.1)
        expect(result.returncode == 0 and "INCOMPLETE" not in result.stdout + result.stderr,
               "cannot attach after a recorder that was killed: " + result.stdout[-500:] + result.stderr)
        descriptors = [os.readlink(f"/proc/{program.process.pid}/fd/{name}")
                       for name in os.listdir(f"/proc/{program.process.pid}/fd")]
        expect(sum(".log" in path for path in descriptors) <= 1, f"logs stay open: {descriptors}")
        program.ends_well()


def _recorders(is_killed):
    folder = tempfile.mkdtemp(prefix="recorders.", dir=scratch)
    library = os.path.join(os.path.dirname(PROBE), ".//" + os.path.basename(PROBE))
    process = subprocess.run([compiled("recorders"), library, folder, "200", str(int(is_killed))], capture_output=True,
                             text=True, timeout=300)
    expect((process.returncode, process.stdout, process.stderr) == (0, "ok\n", ""),
           f"ended with {process.returncode}: {process.stdout} {process.stderr[-500:]}")
    result = report("summary", os.path.join(folder, "199"))
    expect("none lost" in result.stdout, result.stdout[-500:] + result.stderr)


def recorders_that_detach_leave_callbacks_of_the_program():
    _recorders(is_killed=False)


def recorders_that_are_killed_are_replaced_while_statements_run():
    _recorders(is_killed=True)


def helper_that_is_killed_leaves_the_program_running():
    with _Program([compiled("attached")]) as program:
        for number in range(2 * ATTACHES):
            recorder = report_process("attach", str(program.process.pid), "--seconds", "0.1", "-o",
                                      os.path.join(scratch, f"helper.{number}"))
            time.sleep(0.05 + number % 8 * 0.02)
            for child in _children(recorder.pid):
                os.kill(child, signal.SIGKILL)
            recorder.communicate()
            expect(program.process.poll() is None, f"the program ended with {program.process.poll()}")
        program.process.stdin.close()
        expect(program.process.wait(timeout=60) >= 0, "the program was ended by a signal")


def _children(process):
    try:
        threads = os.listdir(f"/proc/{process}/task")
        return [int(child) for thread in threads for child in open(f"/proc/{process}/task/{thread}/children").read().split()]
    except OSError:
        return []


def _is_refused(kind, *arguments):
    with _Program([compiled("stuck", "-rdynamic", libraries=()), kind, *arguments]) as program:
        start = time.monotonic()
        result, folder = _attach(program)
        expect(result.returncode != 0 and "cannot attach to process" in result.stderr,
               f"attached within {kind}: {result.stderr}")
        expect(time.monotonic() - start < 20, "the refusal took long")
        expect(not os.path.exists(folder), "an empty folder stays")
        program.ends_well("!")


def attaches_a_probe_of_another_file_name():
    library = os.path.join(scratch, "another.so")
    shutil.copy(PROBE, library)
    with _Program([sys.executable, script("attached.py")]) as program:
        for number in range(2):
            result = report("attach", str(program.pid), "--seconds", "0.3", "-o", os.path.join(scratch, f"another.{number}"),
                            variables={"STORESCOPE_PROBE": library})
            expect(result.returncode == 0 and "hooks stay" not in result.stderr, result.stderr[-500:])
        program.ends_well()


def refuses_within_malloc():
    _is_refused("malloc")


def refuses_within_the_loader():
    library = compiled("stuck", "-shared", "-fPIC", "-DLIBRARY", name="stuck.so", libraries=())
    _is_refused("dlopen", library)


def refuses_within_fork():
    _is_refused("fork")


def refuses_within_a_handler():
    _is_refused("handler")


def refuses_a_stopped_process():
    with _Program([sys.executable, script("attached.py")]) as program:
        program.process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        result, _ = _attach(program)
        expect("it is stopped; continue it" in result.stderr, result.stderr)
        program.process.send_signal(signal.SIGCONT)
        program.ends_well()


def refuses_a_process_that_is_traced():
    with _Program([sys.executable, script("attached.py")]) as program:
        # PTRACE_SEIZE
        trace = "import ctypes, sys; print(ctypes.CDLL(None).ptrace(0x4206, int(sys.argv[1]), 0, 0), flush=True); sys.stdin.read()"
        tracer = subprocess.Popen([sys.executable, "-c", trace, str(program.process.pid)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        expect(tracer.stdout.readline() == "0\n", "the process cannot be traced")
        result, _ = _attach(program)
        expect(f"process {tracer.pid} traces it" in result.stderr, result.stderr)
        tracer.communicate("")
        program.ends_well()


def refuses_a_process_in_another_namespace():
    if os.geteuid() != 0:
        raise Skipped("not root")
    installed("unshare")
    for kind, word in ("--mount", "mount"), ("--pid", "process"):
        with _Program(["unshare", kind, "--fork", "--kill-child", sys.executable, script("attached.py")]) as program:
            inner = _children(program.process.pid)[0]
            result = report("attach", str(inner), "--seconds", "0.1")
            expect(f"another {word} namespace" in result.stderr, result.stderr)
            program.ends_well()


def refuses_a_process_of_another_user():
    if os.geteuid() != 0:
        raise Skipped("not root")
    with _Program([sys.executable, script("attached.py")]) as program:
        result = report("attach", str(program.process.pid), user=65534)
        expect("another user" in result.stderr, result.stderr)
        program.ends_well()


def refuses_a_static_program():
    with _Program([compiled("stuck", "-static", "-DSTATIC", name="stuck-static", libraries=()), "handler"]) as program:
        result, _ = _attach(program)
        expect("it is static" in result.stderr, result.stderr)
        program.ends_well("!")


def refuses_a_process_that_ended():
    process = subprocess.Popen(["true"])
    process.wait()
    result = report("attach", str(process.pid))
    expect(f"no process {process.pid}" in result.stderr, result.stderr)


def doctor_examines_a_running_process():
    with _Program([sys.executable, script("attached.py")]) as program:
        result = report("doctor", "--pid", str(program.process.pid))
        expect(result.returncode == 0 and "observed: the calls of loaded libraries" in result.stdout, result.stdout)
        program.ends_well()
