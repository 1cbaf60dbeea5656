# SPDX-License-Identifier: Apache-2.0
# Requests on SQLAlchemy's pool of one connection, until its input ends: attached_engine.py leak|keep. With `leak` one of
# them does not return the connection, two seconds after the start. Prints `ok`.
import os
import sys
import tempfile
import threading
import time

from sqlalchemy import create_engine, text
from sqlalchemy.pool import QueuePool

path = os.path.join(tempfile.mkdtemp(), "pool.db")
engine = create_engine("sqlite:///" + path, poolclass=QueuePool, pool_size=1, max_overflow=0)
kept = []


def leak():
    connection = engine.connect()
    connection.execute(text("SELECT 'leaked'")).fetchall()  # leak
    kept.append(connection)


def request():
    while True:
        with engine.connect() as connection:  # waits
            connection.execute(text("SELECT 'returned'")).fetchall()
        time.sleep(0.002)


for _ in range(2):
    threading.Thread(target=request, daemon=True).start()
if sys.argv[1] == "leak":
    threading.Timer(2, leak).start()
print("ready", flush=True)
sys.stdin.read()
print("ok", flush=True)
os._exit(0)
