# SPDX-License-Identifier: Apache-2.0
# Sends requests to PHP-FPM (its program is the argument) until its input ends. Prints `ok` if all answers are right.
import os
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

folder = tempfile.mkdtemp(prefix="fpm.")
path, address = os.path.join(folder, "app.db"), os.path.join(folder, "fpm.socket")
db = sqlite3.connect(path)
db.executescript("CREATE TABLE author(id INTEGER PRIMARY KEY); CREATE TABLE book(author INTEGER, title);"
                 "CREATE INDEX book_author ON book(author);")
db.executemany("INSERT INTO author VALUES (?)", [[i] for i in range(20)])
db.executemany("INSERT INTO book VALUES (?, 'title')", [[i % 20] for i in range(200)])
db.commit()
db.close()
with open(os.path.join(folder, "fpm.conf"), "w") as file:
    file.write(f"[global]\nerror_log = {folder}/log\ndaemonize = no\n[www]\nlisten = {address}\npm = static\npm.max_children = 2\n"
               f"user = {os.environ.get('USER') or 'root'}\n")
server = subprocess.Popen([sys.argv[1], "-R", "-y", os.path.join(folder, "fpm.conf")])


def text(value):
    value = value.encode()
    return struct.pack(">I", len(value) | 0x80000000), value


def record(kind, content=b""):
    return struct.pack(">BBHHBB", 1, kind, 1, len(content), 0, 0) + content


def answer():
    """The body of a page, by FastCGI."""
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "attached_fpm.php")
    parameters = {"SCRIPT_FILENAME": page, "REQUEST_METHOD": "GET", "DATABASE": path}
    pairs = [(text(name), text(value)) for name, value in parameters.items()]
    content = b"".join(n + v + name + value for (n, name), (v, value) in pairs)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        connection.sendall(record(1, struct.pack(">HB5x", 1, 0)) + record(4, content) + record(4) + record(5))
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    body = b""
    while received:
        _, kind, _, length, padding, _ = struct.unpack(">BBHHBB", received[:8])
        body += received[8:8 + length] if kind == 6 else b""
        received = received[8 + length + padding:]
    return body.partition(b"\r\n\r\n")[2]


over, failures = threading.Event(), []


def work():
    while not over.is_set():
        body = answer()
        if body != b"200":
            failures.append(body)


while not os.path.exists(address) and server.poll() is None:
    time.sleep(0.05)
first = answer()
assert first == b"200", first
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
print("ready", flush=True)
sys.stdin.read()
over.set()
for thread in threads:
    thread.join()
server.terminate()
server.wait()
print(f"failed: {failures[0]}" if failures else "ok")
