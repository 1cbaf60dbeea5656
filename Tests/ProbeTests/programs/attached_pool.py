# SPDX-License-Identifier: Apache-2.0
# A server with a pool of one connection. With a line of its input, a request keeps that connection: all others then fail,
# as there is none. Serves until its input ends. Prints `ok` if that happened.
import http.server
import os
import sys
import tempfile
import threading
import urllib.error
import urllib.request

from sqlalchemy import create_engine, text
from sqlalchemy.exc import TimeoutError
from sqlalchemy.pool import QueuePool

path = os.path.join(tempfile.mkdtemp(), "shop.db")
engine = create_engine(f"sqlite:///{path}", poolclass=QueuePool, pool_size=1, max_overflow=0, pool_timeout=0.3)
with engine.begin() as connection:
    connection.execute(text("CREATE TABLE item(id INTEGER PRIMARY KEY, name)"))
    connection.execute(text("INSERT INTO item(name) VALUES ('a'), ('b')"))
kept = []


def listing():
    with engine.connect() as connection:
        return connection.execute(text("SELECT id, name FROM item")).fetchall()


def rename(keeps):
    connection = engine.connect()  # taken
    connection.execute(text("UPDATE item SET name = 'c' WHERE id = 1"))  # kept
    if keeps:
        kept.append(connection)
        return
    connection.commit()
    connection.close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            listing() if self.path == "/list" else rename(self.path == "/keep")
            self.send_response(200)
        except TimeoutError:
            self.send_response(503)
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
over = threading.Event()
states = []


def get(name):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}{name}", timeout=10) as answer:
            states.append(answer.status)
    except urllib.error.HTTPError as error:
        states.append(error.code)


def work():
    while not over.wait(0.01):
        get("/list")
        get("/rename")


worker = threading.Thread(target=work)
worker.start()
print("ready", flush=True)
sys.stdin.readline()
get("/keep")
print("kept", flush=True)
sys.stdin.read()
over.set()
worker.join()
print("ok" if states[0] == 200 and states[-1] == 503 else f"failed {states[0]} {states[-1]}")
