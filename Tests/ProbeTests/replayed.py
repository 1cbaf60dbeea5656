# SPDX-License-Identifier: Apache-2.0
"""Real programs, recorded with their databases: on copies, every run does what it did."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

import harness
from harness import *
from suites import _source

STORE = os.path.join(BUILD, "replay.sqlite")


def _store():
    """A copy of a transit store."""
    transit = os.path.join(ROOT, ".build", "debug", "transit")
    if not os.path.exists(transit):
        raise Skipped("transit is not built: swift build --product transit")
    if not os.path.exists(STORE):
        subprocess.run([transit, "generate", "--stops", "1280", "--stop-times", "30000", "--seed", "1", "--store", STORE],
                       check=True, capture_output=True)
    copy = os.path.join(tempfile.mkdtemp(dir=scratch), "app.sqlite")
    shutil.copy(STORE, copy)
    return copy


def _recording(databases, command):
    trace = os.path.join(tempfile.mkdtemp(dir=scratch), "trace")
    options = [option for database in databases for option in ("--replayable", database)]
    return trace, ["record", *options, "-o", trace, "--", *command]


def _recorded(databases, command, folder=None):
    trace, arguments = _recording(databases, command)
    process = subprocess.run(**harness._report_command(arguments), capture_output=True, timeout=300, cwd=folder)
    expect(process.returncode == 0, (process.stdout + process.stderr)[-500:])
    return trace


def _replayed(trace, *options):
    process = report("replay", trace, "--json", *options)
    expect(process.returncode in (0, 2), f"{process.returncode} {process.stdout[-800:]} {process.stderr[-300:]}")
    replay = json.loads(process.stdout)
    others = [runs for runs in replay["divergences"] if not runs["reason"].endswith("; left out")]
    expect(not others and replay["recordedRuns"] > 20, f"{replay['recordedRuns']} {others}")
    return replay


def a_web_application_is_replayed():
    imported(PYTHON, "flask")
    program = os.path.join(ROOT, "Examples", "python-web", "app.py")
    for version in "before", "after":
        store = _store()
        _replayed(_recorded([store], [PYTHON, program, store, version]))


def the_gain_of_an_index_is_that_of_the_program_with_it():
    """Within 10%, of VM steps: the replayed ones, and those of the program on a database that has the index."""
    imported(PYTHON, "flask")
    index = "CREATE INDEX gain ON ZSTOP(ZNAME, ZNORMALIZEDNAME)"
    command = [PYTHON, os.path.join(ROOT, "Examples", "python-web", "app.py")]
    store = _store()
    predicted = _replayed(_recorded([store], [*command, store, "before"]), "--with", index)
    store = _store()
    subprocess.run(["sqlite3", store, index], check=True)
    real = _replayed(_recorded([store], [*command, store, "before"]))["before"]["vmSteps"]
    expect(predicted["before"]["vmSteps"] > 2 * real, f"no gain: {predicted['before']}, {real}")
    expect(abs(predicted["after"]["vmSteps"] - real) < 0.1 * real, f"{predicted['after']['vmSteps']}, {real}")


def a_search_of_a_store_is_replayed():
    store = _store()
    transit = os.path.join(ROOT, ".build", "debug", "transit")
    for version in "--before", "--after":
        _replayed(_recorded([store], [transit, "search", "--geo", "--departures", "--at", "08:30", "--text", "u gorli",
                                      version, "--repeat", "20", "--store", store]))


def suites_of_django_on_files_are_replayed():
    """But for reads that call functions of Django's."""
    folder = os.path.join(_source("django"), "tests")
    databases = [os.path.join(tempfile.mkdtemp(dir=scratch), name + ".sqlite") for name in ("default", "other")]
    with open(os.path.join(folder, "test_files.py"), "w") as file:
        file.write("from test_sqlite import *\nDATABASES = {" + ", ".join(
            f"{name!r}: {{'ENGINE': 'django.db.backends.sqlite3', 'TEST': {{'NAME': {path!r}}}}}"
            for name, path in zip(("default", "other"), databases)) + "}\n")
    _replayed(_recorded(databases, [PYTHON, "runtests.py", "--settings=test_files", "--parallel=1", "basic", "transactions",
                                    "many_to_many", "aggregation", "queries"], folder=folder))


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _is_open(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def datasette_under_load_is_replayed():
    """Without its trials of JSON: it runs them with pysqlite3's version of SQLite, whose errors of json_type() are others."""
    imported(PYTHON, "datasette")
    store, port = _store(), _free_port()
    trace, arguments = _recording([store], [PYTHON, "-m", "datasette", store, "-p", str(port)])
    server = subprocess.Popen(**harness._report_command(arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True)
    while not _is_open(port) and server.poll() is None:
        time.sleep(0.05)
    failures = []

    def load(client):
        for i in range(25):
            for path in (f"ZSTOP?_size=20&_next={i * client}", f"ZSTOPTIME.json?ZSTOP={i * client}&_facet=ZSTOP",
                         f"ZSTOP.json?ZNAME__like={chr(65 + i)}%25&_nosuggest=1"):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/app/{path}", timeout=60).read()
                except OSError as error:
                    failures.append(f"{path}: {error}")
    clients = [threading.Thread(target=load, args=(client + 1,)) for client in range(6)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    os.killpg(server.pid, signal.SIGINT)
    server.wait(timeout=60)
    expect(not failures, failures[:3])
    _replayed(trace)
