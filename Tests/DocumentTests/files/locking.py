# SPDX-License-Identifier: Apache-2.0
"""Borrows books while another connection of the same program has the lock for 1.5 seconds."""
import sqlite3
import threading
import time

locked = threading.Event()


def hold():
    db = sqlite3.connect("app.db", isolation_level=None, timeout=20)
    db.execute("BEGIN IMMEDIATE")
    locked.set()
    time.sleep(1.5)
    db.execute("COMMIT")


thread = threading.Thread(target=hold)
thread.start()
locked.wait()
db = sqlite3.connect("app.db", timeout=20)
for book in range(3):
    db.execute("INSERT INTO loan VALUES (?, 'reader')", (book,))
    db.commit()
thread.join()
