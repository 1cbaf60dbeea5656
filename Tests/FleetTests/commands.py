#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of Documentation/Fleet.md as it stands there, in a folder with what they name.

    commands.py TRACE_REPORT REPOSITORY

As root, in namespaces of its own: `collector` is this host's name there. What waits for requests (`serve`,
`lttng-relayd`) is asked once and ended. SESSION stands for a number that `record` prints.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

TOOL, REPOSITORY = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent
SETUP = """
mount -t tmpfs -o mode=0700 tmpfs /tmp/trace-report-0
for folder in /run/lttng /dev/shm /var/spool; do mkdir -p $folder; mount -t tmpfs tmpfs $folder; done
hostname kiosk-7
ip link set lo up
printf '127.0.0.1 localhost collector kiosk-7\\n' > "$1/hosts"
mount --bind "$1/hosts" /etc/hosts
"""
PROGRAM = """#!/usr/bin/env python3
import os, sqlite3
if os.path.exists("app.db"):
    os.remove("app.db")
db = sqlite3.connect("app.db")
db.execute("CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT)")
db.executemany("INSERT INTO book(title) VALUES(?)", [(f"t{i}",) for i in range(1000)])
db.commit()
for i in range(50):
    db.execute("SELECT id FROM book WHERE title = ?", (f"t{i}",)).fetchall()
"""


def commands():
    text = pathlib.Path(REPOSITORY, "Documentation", "Fleet.md").read_text()
    for block in re.findall(r"^```sh make test-fleet-commands\n(.*?)^```$", text, re.M | re.S):
        for line in block.splitlines():
            if line.split(" ")[0] in ("trace-report", "duckdb", "grep", "lttng-relayd", "make"):
                yield line


def prepare(folder):
    for name in ("app", "app.py"):
        (folder / name).write_text(PROGRAM)
        (folder / name).chmod(0o755)
    (folder / "bin").mkdir()
    (folder / "bin" / "trace-report").symlink_to(TOOL)
    duckdb = pathlib.Path(sys.executable).parent / "duckdb"
    if duckdb.exists():
        (folder / "bin" / "duckdb").symlink_to(duckdb)
    (folder / "dashboards").symlink_to(pathlib.Path(REPOSITORY, "dashboards"))
    os.environ["PATH"] = f"{folder}/bin:{os.environ['PATH']}"
    # Other hosts and days, a baseline, a log: what the commands take from before.
    for host in ("kiosk-8", "yesterday", "last-week"):
        run(f"trace-report record -o {host} --label version=1.3 --label host={host} -- ./app", folder)
        run(f"trace-report summary {host} --json > {host}.json", folder)
    run("trace-report record -o trace -- ./app", folder)
    run("trace-report baseline trace -o baseline.json", folder)
    run("mkdir recordings && cp -r kiosk-8 recordings/", folder)
    # Complete as a trace of a store's log would be: the repository has one.
    shutil.copy(pathlib.Path(REPOSITORY, "traces", "after.log"), folder / "debug.log")


def run(command, folder):
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}\n{done.stdout}{done.stderr}exit code {done.returncode}")
    return done.stdout + done.stderr


def is_listening(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def start(command, folder, port):
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command}"], cwd=folder, start_new_session=True,
        stdout=open(folder / "started.out", "w"), stderr=subprocess.STDOUT)
    for _ in range(600):
        if is_listening(port):
            return process
        if process.poll() is not None:
            break
        time.sleep(0.1)
    sys.exit(f"{command}\n{(folder / 'started.out').read_text()}does not listen at {port}")


def end(process):
    os.killpg(process.pid, signal.SIGTERM)
    process.wait(60)


def serve(command, folder):
    process = start(command, folder, 9464)
    text = ""
    for _ in range(600):
        text = urllib.request.urlopen("http://127.0.0.1:9464/metrics", timeout=30).read().decode()
        if re.search(r"storescope_statement_runs_total\{.*\} [1-9]", text):
            break
        time.sleep(0.2)
    else:
        sys.exit(f"{command}\nserves no statement: {text[:2000]}")
    end(process)


def main(folder):
    prepare(folder)
    collector = subprocess.Popen(
        [sys.executable, HERE / "collector.py", folder / "collected", "--port", "4318"], stdout=subprocess.PIPE)
    collector.stdout.readline()
    relay = None
    count = 0
    for command in commands():
        if command.startswith("trace-report serve"):
            serve(command, folder)
        elif command.startswith("lttng-relayd"):
            relay = start(command, folder, 5344)
        elif command.startswith("make "):
            run(command, REPOSITORY)
        else:
            run(command, folder)
        count += 1
        print(f"ok           {command}", flush=True)
    if relay:
        end(relay)
    collector.terminate()
    assert (folder / "collected").stat().st_size > 0
    print(f"{count} commands were run")


if __name__ == "__main__":
    if os.environ.get("COMMANDS_INSIDE") != "1":
        os.makedirs("/tmp/trace-report-0", mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory() as name:
            code = subprocess.run(
                ["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                 "--propagation", "private", "--", "bash", "-ec", SETUP + 'exec "${@:2}"', "setup", name,
                 sys.executable, __file__, TOOL, REPOSITORY],
                env={**os.environ, "COMMANDS_INSIDE": "1", "FOLDER": name}).returncode
        sys.exit(code)
    main(pathlib.Path(os.environ["FOLDER"]))
