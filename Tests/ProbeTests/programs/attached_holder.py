# SPDX-License-Identifier: Apache-2.0
# Keeps a write transaction open and reads in it, until its input ends: attached_holder.py FILE. Prints `ok`.
import sqlite3
import sys
import threading

over = threading.Event()
held = threading.Event()


def hold(path):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("CREATE TABLE IF NOT EXISTS t(a)")
    db.execute("BEGIN IMMEDIATE")
    held.set()
    while not over.wait(0.02):  # holds
        db.execute("SELECT count(*) FROM t WHERE a = 'secret'").fetchall()  # reads
    db.execute("ROLLBACK")
    db.close()


thread = threading.Thread(target=hold, args=sys.argv[1:], name="holder")
thread.start()
held.wait()
print("ready", flush=True)
sys.stdin.read()  # main
over.set()
thread.join()
print("ok")
