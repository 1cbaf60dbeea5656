# SPDX-License-Identifier: Apache-2.0
# Requests on SQLAlchemy's pool of one connection: leaks.py leak|return FILE. With `leak` the first one keeps it.
import sys
import threading
import time

from sqlalchemy import create_engine, text
from sqlalchemy.exc import TimeoutError
from sqlalchemy.pool import QueuePool

engine = create_engine("sqlite:///" + sys.argv[2], poolclass=QueuePool, pool_size=1, max_overflow=0, pool_timeout=0.8)


def request():
    for _ in range(3):
        try:
            with engine.connect() as connection:  # waits
                connection.execute(text("SELECT 'other'")).fetchall()
                time.sleep(0.02)
        except TimeoutError:
            pass


connection = engine.connect()
connection.execute(text("SELECT 'first'")).fetchall()  # leak
threads = [threading.Thread(target=request) for _ in range(2)]
for thread in threads:
    thread.start()
time.sleep(0.4)
if sys.argv[1] == "return":
    connection.close()
for thread in threads:
    thread.join()
