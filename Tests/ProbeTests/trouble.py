# SPDX-License-Identifier: Apache-2.0
"""What goes wrong around the probe changes nothing for the program."""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

from harness import *


def threads_that_others_close():
    compare([compiled("threads"), "16"])


def five_hundred_threads():
    compare([compiled("threads"), "500"])


def forks():
    compare([compiled("forks")])


def forks_while_other_threads_run_statements():
    process, lines = run([compiled("prepares")], level=1)
    expect(process.returncode == 0 and lines, process.stderr)


def programs_of_each_linker():
    """Their tables of symbols differ: lld, which is that of Rust, writes other sections between symbols and names."""
    linkers = [name for name in ("bfd", "gold", "lld", "mold") if shutil.which("ld." + name)]
    for linker in linkers:
        for flags in ([], ["-Wl,-z,now"], ["-no-pie"], ["-rdynamic"]):
            program = [compiled("returns", "-fuse-ld=" + linker, *flags, name="returns-" + "".join([linker, *flags]))]
            plain, observed = run(program, probe=False)[0], run(program, level=1)
            expect((observed[0].returncode, observed[0].stdout) == (plain.returncode, plain.stdout), f"{linker} {flags}")
            expect(events(observed[1], "statement_run"), f"{linker} {flags}: no statement")
    expect(len(linkers) > 1, f"one linker is too few: {linkers}")


def a_process_that_ends_with_its_last_thread():
    """LTTng's threads, which never end, are left then."""
    compare([compiled("leaves")])


def configuration_before_and_after():
    compare([compiled("configures")])


def loaded_and_unloaded():
    compare([compiled("loads")])


def ten_thousand_connections():
    compare([compiled("connections")])


def closed_descriptors():
    os.makedirs(os.path.join(scratch, "own"), exist_ok=True)
    compare([compiled("descriptors"), os.path.join(scratch, "own")])


def closing_a_file_asks_lttng_nothing():
    compare([compiled("closes")])


def a_program_that_executes_itself():
    code = ("import os, sqlite3, sys\n"
            "sqlite3.connect(':memory:').execute('SELECT 1').fetchall()\n"
            "if len(sys.argv) < 2: os.execv(sys.executable, [sys.executable, __file__, 'x'])\n"
            "print('done')\n")
    path = os.path.join(scratch, "executes.py")
    open(path, "w").write(code)
    process, lines = run([sys.executable, path], level=1)
    expect(process.stdout == "done\n", process.stderr)
    expect(len(events(lines, "statement_run")) == 2, "2 statements ran")


def an_empty_environment():
    installed("sqlite3")
    process, lines = run(["env", "-i", "/usr/bin/sqlite3", ":memory:", "SELECT 1"], level=1)
    expect(process.stdout == "1\n" and not lines, "nothing is observed, and nothing is broken")


def another_preloaded_library():
    installed("sqlite3")
    library = _compiled_library()
    process, lines = run(["sqlite3", ":memory:", "SELECT 1"], level=1,
                         variables={"LD_PRELOAD": library + ":" + PROBE})
    expect(process.stdout == "1\n" and len(events(lines, "statement_run")) == 1, process.stderr)


def _compiled_library():
    path = os.path.join(scratch, "other.so")
    subprocess.run([shutil.which("cc") or "clang", "-shared", "-fPIC", "-x", "c", "-", "-o", path],
                   input="int other(void) { return 1; }", text=True, check=True)
    return path


def a_log_that_cannot_be_opened():
    installed("sqlite3")
    process, _ = run(["sqlite3", ":memory:", "SELECT 1"], level=1,
                     variables={"STORE_SQL_DEBUG_FILE": "/no/such/folder/log"})
    expect(process.stdout == "1\n" and process.returncode == 0, process.stderr)
    expect(len(process.stderr.splitlines()) == 1 and "nothing is logged" in process.stderr, process.stderr)


def a_log_behind_a_link_of_another_user():
    """It may lead to any file of root's. A link of our own is followed."""
    installed("sqlite3")
    if os.geteuid() != 0:
        raise Skipped("only root makes a link of another user")
    folder = tempfile.mkdtemp(dir=scratch)
    target, deep = os.path.join(folder, "target"), os.path.join(folder, "deep")
    os.mkdir(deep)
    for user, is_followed in ((65534, False), (0, True)):
        for link, log in ((os.path.join(folder, "link"), "link"), (os.path.join(folder, "way"), "way/log")):
            os.symlink(target if log == "link" else deep, link)
            os.chown(link, user, user, follow_symlinks=False)
            log = os.path.join(folder, log)
            process, _ = run(["sqlite3", ":memory:", "SELECT 1"], level=1, variables={"STORE_SQL_DEBUG_FILE": log})
            expect((process.returncode, process.stdout) == (0, "1\n"), process.stderr)
            expect(("nothing is logged" in process.stderr) != is_followed, process.stderr)
            written = target if log.endswith("link") else os.path.join(deep, "log")
            expect(os.path.exists(written) == is_followed, f"{written} of {user}")
            os.remove(link)


def _recorded(*command, variables=()):
    """The finished process of `trace-report record`, and the folder of the trace."""
    trace = os.path.join(tempfile.mkdtemp(dir=scratch), "trace")
    return report("record", "-o", trace, "--", *command, variables=variables), trace


def a_probe_in_a_folder_with_a_space_and_a_colon():
    folder = os.path.join(tempfile.mkdtemp(dir=scratch), "a b:c")
    shutil.copytree(BUILD, folder, ignore=lambda _, names: [name for name in names if not name.endswith(".so")])
    process, _ = _recorded(sys.executable, "-c", "import sqlite3; sqlite3.connect(':memory:').execute('SELECT 42')",
                           variables={"STORESCOPE_PROBE": os.path.join(folder, os.path.basename(PROBE))})
    expect(process.returncode == 0 and "1 statement returned 1 row" in process.stdout,
           process.stdout + process.stderr)


def a_program_with_a_sanitizer_that_is_recorded():
    for flag in "address", "thread":
        process, trace = _recorded(compiled("simple", "-fsanitize=" + flag, name="simple-" + flag))
        # LTTng does not fit in.
        expect("not recorded" not in process.stderr and len(glob.glob(trace + "/*.log")) == 1, process.stderr)
        expect("counts " in process.stdout and "ASan" not in process.stderr, process.stdout + process.stderr)


def filters_of_the_recorder_are_no_obstacle():
    """It runs under them itself, and LTTng's own programs do."""
    filtered = compiled("filtered", libraries=())
    trace = os.path.join(tempfile.mkdtemp(dir=scratch), "trace")
    tool = report("--version").args[0]
    environment = dict(os.environ, STORESCOPE_PROBE=PROBE)
    process = subprocess.run([filtered, tool, "record", "-o", trace, "--", compiled("simple")], env=environment,
                             capture_output=True, text=True, timeout=120)
    expect(process.returncode == 0 and "not recorded" not in process.stderr, process.stdout + process.stderr)
    process, _ = _recorded(filtered, compiled("simple"))
    expect("not recorded: simple[" in process.stderr and "seccomp" in process.stderr, process.stdout + process.stderr)


def a_process_that_lttng_does_not_fit_into_has_a_log():
    """Beside the trace of one that it fits into."""
    program = compiled("simple")
    process, trace = _recorded("sh", "-c", f"{program}; ulimit -n 12; {program}")
    expect(process.returncode == 0 and process.stdout.count("counts ") == 2, process.stdout + process.stderr)
    expect("not recorded" not in process.stderr, process.stderr)
    expect(not os.path.exists(os.path.join(trace, ".untraced")), "a file is left")
    expect(len(glob.glob(trace + "/*.log")) == 1 and os.path.exists(trace + "/ust"), str(os.listdir(trace)))
    later = report("summary", trace)
    expect(later.stdout.startswith("simple[") and ", simple[" in later.stdout.split("\n")[0], later.stdout + later.stderr)
    expect("INCONCLUSIVE" not in later.stdout, later.stdout)


def a_file_that_sqlite3_exec_cannot_read():
    """No statement is prepared, so that none runs."""
    path = os.path.join(tempfile.mkdtemp(dir=scratch), "no.db")
    open(path, "wb").write(b"no database " * 400)
    code = (f"import ctypes, sqlite3; L = ctypes.CDLL('libsqlite3.so.0'); h = ctypes.c_void_p()\n"
            f"L.sqlite3_open({path.encode()!r}, ctypes.byref(h))\n"
            "for sql in (b'SELECT a FROM t; SELECT 2', b'', b'SELECT 1'): print(L.sqlite3_exec(h, sql, None, None, None))\n")
    process, lines = run([sys.executable, "-c", code], level=1)
    expect(process.stdout == "26\n0\n0\n" and not process.stderr, process.stdout + process.stderr)
    errors = [event.get("error", "").split(":")[0] for event in events(lines, "statement_run")]
    expect(errors == ["SQLITE_NOTADB", ""], str(errors))


def a_process_that_lttng_has_no_session_for_has_a_log():
    """No daemon answers; then the session of the one that does is for other processes; then nobody records any more."""
    program = compiled("simple")
    folder = tempfile.mkdtemp(dir=scratch)
    mark = os.path.join(folder, ".recording")
    open(mark, "w").close()
    variables = {"STORE_TRACE_RECORDING": "7", "STORE_TRACE_FOLDER": folder, "STORE_TRACE_NOTES": folder + "/.notes"}
    process, _ = run([program], variables=variables)
    logs = glob.glob(folder + "/*.log")
    expect(len(logs) == 1 and "StoreScope" not in process.stderr, process.stderr)
    runs = events(open(logs[0]).read().splitlines(), "statement_run")
    expect(counts_of(process.stdout)[0] == str(len(runs)), f"{len(runs)} runs in the log: " + process.stdout)
    os.remove(mark)
    process, _ = run([program], variables=variables)
    expect(len(glob.glob(folder + "/*.log")) == 1 and "StoreScope" not in process.stderr, process.stderr)
    process, trace = _recorded("env", "STORE_TRACE_RECORDING=7", program)
    expect("not recorded" not in process.stderr and len(glob.glob(trace + "/*.log")) == 1, process.stderr)
    expect("counts " in process.stdout, process.stdout)


def a_process_without_sqlite_has_no_thread_and_no_lttng():
    process, _ = run(["grep", "-cE", "lttng|sqlite", "/proc/self/maps"])
    maps = int(process.stdout)
    plain, _ = run(["sh", "-c", "grep -E 'lttng' /proc/self/maps; ls /proc/self/task | wc -l"])
    expect(plain.stdout.strip() == "1", plain.stdout)
    expect(maps == 0 or "storescope" in PROBE, str(maps))


# MARK: - Programs into which the probe cannot be loaded

def _unchanged(command, **arguments):
    """The process, which prints what it prints without the probe and is not observed."""
    plain, _ = run(command, probe=False, **arguments)
    process, lines = run(command, level=1, **arguments)
    expect((process.returncode, process.stdout) == (plain.returncode, plain.stdout) and plain.returncode == 0,
           f"{plain.returncode} {process.returncode} {process.stderr[-300:]}")
    expect(not events(lines, "statement_run"), "it was observed")
    return process


def a_missing_library():
    installed("sqlite3")
    _unchanged(["sqlite3", ":memory:", "SELECT 1"], variables={"LD_PRELOAD": "/no/such/libstorescope-probe.so"})


def a_relative_path():
    """A child in another folder does not find the library, and runs without it."""
    installed("sqlite3")
    variables = {"LD_PRELOAD": os.path.relpath(PROBE, ROOT)}
    command = ["sh", "-c", "sqlite3 :memory: 'SELECT 1'; cd / && sqlite3 :memory: 'SELECT 2'"]
    process, lines = run(command, level=1, variables=variables)
    expect(process.stdout == "1\n2\n" and len(events(lines, "statement_run")) == 1, process.stderr)


def a_setuid_program():
    installed("sqlite3", "setpriv")
    if os.geteuid() != 0:
        raise Skipped("only root makes a program of another user")
    # Not in the tests' own folder, which other users cannot enter.
    path = "/tmp/probe-tests-setuid.%d" % os.getpid()
    try:
        shutil.copy(os.path.realpath(shutil.which("sqlite3")), path)
        os.chmod(path, 0o4755)
        _unchanged(["setpriv", "--reuid=65534", "--clear-groups", path, ":memory:", "SELECT 1"])
    finally:
        os.remove(path)


def a_static_program():
    _unchanged([compiled("simple", "-static", name="simple-static")])


def a_program_of_musl():
    installed("musl-gcc")
    path = os.path.join(scratch, "musl")
    subprocess.run(["musl-gcc", "-x", "c", "-", "-o", path], text=True, check=True,
                   input='#include <stdio.h>\nint main(void) { return puts("counts 0 0") < 0; }')
    _unchanged([path])


def a_32_bit_program():
    path = os.path.join(scratch, "program-32")
    made = subprocess.run(["cc", "-m32", "-x", "c", "-", "-o", path], text=True, capture_output=True,
                          input='#include <stdio.h>\nint main(void) { return puts("counts 0 0") < 0; }')
    if made.returncode != 0:
        raise Skipped("no 32-bit C library")
    _unchanged([path])


# MARK: - Copies of SQLite within a program

def _with_own_copy(source, *flags, name):
    archive = next((path for path in ("/usr/lib/x86_64-linux-gnu/libsqlite3.a", "/usr/lib/aarch64-linux-gnu/libsqlite3.a")
                    if os.path.exists(path)), None)
    if not archive:
        raise Skipped("libsqlite3.a is not installed")
    return compiled(source, *flags, name=name, libraries=[archive])


def an_own_copy_with_a_symbol_table():
    compare([_with_own_copy("threads", name="threads-own"), "16"], way="symbols")


def an_own_copy_without_a_symbol_table():
    for name, flags in ("threads-stripped", ()), ("threads-stripped-no-pie", ("-no-pie",)):
        compare([_with_own_copy("threads", "-s", *flags, name=name), "16"], way="symbols")


def a_program_that_exports_nothing():
    compare([compiled("threads", "-no-pie", name="threads-no-pie"), "16"])


def an_own_copy_whose_trace_callback_the_program_takes():
    command = [_with_own_copy("simple", name="simple-own")]
    _unchanged(command)
    _, lines = run(command, level=1)
    copies = events(lines, "copy_not_observed")
    expect(len(copies) == 1 and "may have set its own" in copies[0]["reason"], f"{copies}")


def a_statement_that_fails_in_an_own_copy_is_no_commit():
    """Result codes are not seen there; the rows that a statement changed are."""
    process, lines = run([_with_own_copy("conflicts", name="conflicts-own")], level=1)
    expect(process.stdout == "failed 4\n", process.stdout + process.stderr)
    outcomes = [event["outcome"] for event in events(lines, "transaction")]
    expect(outcomes == ["commit"] * 2, f"{outcomes}")


def rows_that_are_returned_by_a_statement_which_did_not_end_are_committed():
    for command in compiled("returns"), _with_own_copy("returns", name="returns-own"):
        process, lines = run([command], level=1)
        expect(process.stdout == "changes 3\n", process.stdout + process.stderr)
        outcomes = [event["outcome"] for event in events(lines, "transaction")]
        expect(outcomes == ["commit"] * 4, f"{command}: {outcomes}")


def a_commit_of_an_own_copy_is_reported_when_it_ends():
    """And not with the connection's next statement: another connection may have the lock by then."""
    process, lines = run([_with_own_copy("later", name="later-own"), os.path.join(scratch, "later.db")], level=1)
    expect(process.returncode == 0, process.stderr)
    order = [(event.get("store_id"), event["outcome"]) for event in events(lines, "transaction")]
    expect(order == [("1", "commit"), ("1", "commit"), ("2", "commit"), ("1", "rollback"), ("2", "commit")], f"{order}")
