# SPDX-License-Identifier: Apache-2.0
"""Locks of other connections, and what programs do with the files of a database."""

import hashlib
import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import threading
import time

from labels import connect, near_miss, warns


def bank(folder):
    db = connect(folder)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE account(id INTEGER PRIMARY KEY, balance INT)")
    db.execute("CREATE TABLE entry(id INTEGER PRIMARY KEY, account_id INT, amount INT)")
    db.executemany("INSERT INTO account VALUES (?,?)", [(i, 100) for i in range(400)])
    db.commit()
    db.close()


def damaged(folder):
    db = connect(folder)
    db.execute("CREATE TABLE account(id INTEGER PRIMARY KEY, note TEXT)")
    db.executemany("INSERT INTO account VALUES (?,?)", [(i, "x" * 200) for i in range(2000)])
    db.commit()
    db.close()
    with open(folder + "/app.db", "r+b") as file:
        file.seek(4096 * 40)
        file.write(b"\xab" * 4096 * 20)


@warns("SetBusyTimeout", setup=bank)
def no_timeout(folder):
    writer, other = connect(folder, isolation_level=None), connect(folder, timeout=0, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE account SET balance = 90 WHERE id = 1")
    try:
        other.execute("INSERT INTO entry VALUES (1, 1, -10)")
    except sqlite3.OperationalError:
        writer.execute("COMMIT")
        other.execute("INSERT INTO entry VALUES (1, 1, -10)")


@warns("UseBeginImmediate", setup=bank)
def read_then_write(folder):
    first, second = connect(folder, isolation_level=None), connect(folder, isolation_level=None)
    for attempt in range(2):
        first.execute("BEGIN")
        (balance,) = first.execute("SELECT balance FROM account WHERE id = 3").fetchone()
        if attempt == 0:
            second.execute("UPDATE account SET balance = balance + 1 WHERE id = 4")
        try:
            first.execute("UPDATE account SET balance = ? WHERE id = 3", (balance - 5,))  # HERE
            first.execute("COMMIT")
            break
        except sqlite3.OperationalError:
            first.execute("ROLLBACK")


@warns("HandleBusy", "AvoidLockWait", setup=bank)
def ignored_failure(folder):
    writer, other = connect(folder, isolation_level=None), connect(folder, timeout=0.1, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("INSERT INTO entry VALUES (5, 1, 1)")
    try:
        other.execute("INSERT INTO entry VALUES (6, 2, 2)")  # HERE
    except sqlite3.OperationalError:
        pass
    writer.execute("COMMIT")
    print(other.execute("SELECT count(*) FROM entry").fetchone())


@warns("AvoidLockWait", setup=bank)
def long_import(folder):
    begun = threading.Event()

    def load():
        db = connect(folder, isolation_level=None)
        db.execute("BEGIN IMMEDIATE")
        end = time.monotonic() + 0.5
        number = 1000
        while time.monotonic() < end:
            db.execute("INSERT INTO entry VALUES (?, 1, 1)", (number,))
            number += 1
            begun.set()
        db.execute("COMMIT")

    thread = threading.Thread(target=load)
    thread.start()
    begun.wait()
    with connect(folder) as db:
        db.execute("UPDATE account SET balance = 0 WHERE id = 9")  # HERE
    thread.join()


@warns("AvoidIdleWriter", setup=bank, may=("AvoidLockWait",))
def request_within_a_transaction(folder):
    begun = threading.Barrier(2)

    def pay():
        db = connect(folder, isolation_level=None)
        for number in range(4):
            db.execute("BEGIN IMMEDIATE")
            db.execute("UPDATE account SET balance = balance - 1 WHERE id = 1")
            begun.wait()
            time.sleep(0.1)
            db.execute("INSERT INTO entry(account_id, amount) VALUES (1, -1)")
            db.execute("COMMIT")
            begun.wait()

    thread = threading.Thread(target=pay)
    thread.start()
    db = connect(folder)
    for number in range(4):
        begun.wait()
        with db:
            db.execute("UPDATE account SET balance = balance + 1 WHERE id = 2")
        begun.wait()
    thread.join()


@warns("ResetStatement", setup=bank)
def drop_while_reading(folder):
    db = connect(folder, isolation_level=None)
    first = db.execute("SELECT id FROM account WHERE balance > 0")
    print(first.fetchone())
    try:
        db.execute("DROP TABLE entry")  # HERE
    except sqlite3.OperationalError as error:
        print(error)


@warns("ResetStatement", setup=bank)
def vacuum_while_reading(folder):
    db = connect(folder, isolation_level=None)
    rows = iter(db.execute("SELECT id, balance FROM account"))
    print(next(rows))
    try:
        db.execute("VACUUM")  # HERE
    except sqlite3.OperationalError as error:
        print(error)


@warns("EndReadTransaction", setup=bank)
def slow_reader(folder):
    reader, writer = connect(folder), connect(folder)
    rows = reader.execute("SELECT id, balance FROM account")  # HERE
    rows.fetchone()
    for number in range(130):
        with writer:
            writer.executemany("INSERT INTO entry(account_id, amount) VALUES (?, ?)", [(number, i) for i in range(8)])
    print(len(rows.fetchall()))


@warns("SetBusyTimeout", setup=bank)
def timeout_on_one_of_two(folder):
    writer = connect(folder, timeout=5, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    failed = []

    def work():
        db = sqlite3.connect(folder + "/app.db", timeout=5)
        db.execute("PRAGMA busy_timeout = 0")
        try:
            db.execute("UPDATE account SET balance = 7 WHERE id = 7")  # HERE
        except sqlite3.OperationalError as error:
            failed.append(error)
        db.close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    writer.execute("COMMIT")
    print(failed)


@warns("UseBeginImmediate", setup=bank)
def two_workers(folder):
    both = threading.Barrier(2)

    def withdraw(account):
        db = connect(folder, isolation_level=None)
        db.execute("BEGIN")
        (balance,) = db.execute("SELECT balance FROM account WHERE id = ?", (account,)).fetchone()
        both.wait()
        while True:
            try:
                db.execute("UPDATE account SET balance = ? WHERE id = ?", (balance - 1, account))  # HERE
                db.execute("COMMIT")
                break
            except sqlite3.OperationalError:
                db.execute("ROLLBACK")
                db.execute("BEGIN IMMEDIATE")

    threads = [threading.Thread(target=withdraw, args=(account,)) for account in (1, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@warns("ResetStatement", setup=bank)
def update_while_reading(folder):
    db, other = connect(folder, isolation_level=None), connect(folder, isolation_level=None)
    accounts = db.execute("SELECT id FROM account")
    (number,) = accounts.fetchone()
    other.execute("UPDATE account SET balance = 1 WHERE id = 300")
    try:
        db.execute("UPDATE account SET balance = 2 WHERE id = ?", (number,))  # HERE
    except sqlite3.OperationalError:
        accounts.fetchall()
        db.execute("UPDATE account SET balance = 2 WHERE id = ?", (number,))


@warns("EndReadTransaction", setup=bank)
def open_snapshot(folder):
    reader, writer = connect(folder, isolation_level=None), connect(folder)
    reader.execute("BEGIN")
    (before,) = reader.execute("SELECT count(*) FROM entry").fetchone()
    for number in range(130):
        with writer:
            writer.executemany("INSERT INTO entry(account_id, amount) VALUES (?, ?)", [(number, i) for i in range(8)])
    print(before, reader.execute("SELECT count(*) FROM account").fetchone())
    reader.execute("COMMIT")


@near_miss("AvoidLockWait", "SetBusyTimeout", setup=bank)
def short_writers(folder):
    def work(account):
        db = connect(folder, timeout=10)
        for _ in range(3):
            with db:
                db.execute("UPDATE account SET balance = balance + 1 WHERE id = ?", (account,))
            time.sleep(0.02)
        db.close()

    threads = [threading.Thread(target=work, args=(account,)) for account in (1, 2)]
    for thread in threads:
        thread.start()
        time.sleep(0.01)
    for thread in threads:
        thread.join()


@near_miss("AvoidLockWait", setup=bank)
def readers_beside_a_writer(folder):
    begun, done = threading.Event(), threading.Event()

    def load():
        db = connect(folder)
        for number in range(3):
            with db:
                db.executemany("INSERT INTO entry(account_id, amount) VALUES (?, ?)", [(i, number) for i in range(3000)])
            begun.set()
        done.set()

    thread = threading.Thread(target=load)
    thread.start()
    begun.wait()
    db = connect(folder)
    number = 0
    while not done.is_set() and number < 60:
        print(db.execute("SELECT balance FROM account WHERE id = ?", (number,)).fetchone())
        number += 1
        time.sleep(0.002)
    thread.join()


@near_miss("UseBeginImmediate", setup=bank)
def begins_immediate(folder):
    first, second = connect(folder, isolation_level=None), connect(folder, isolation_level=None)
    for db, number in ((first, 3), (second, 4), (first, 5)):
        db.execute("BEGIN IMMEDIATE")
        (balance,) = db.execute("SELECT balance FROM account WHERE id = ?", (number,)).fetchone()
        db.execute("UPDATE account SET balance = ? WHERE id = ?", (balance - 5, number))
        db.execute("COMMIT")


@near_miss("ResetStatement", "EndReadTransaction", setup=bank)
def list_before_the_write(folder):
    db, other = connect(folder), connect(folder)
    accounts = db.execute("SELECT id FROM account WHERE balance > 50 LIMIT 8").fetchall()
    with other:
        other.executemany("INSERT INTO entry(account_id, amount) VALUES (?, ?)", [(i, 3) for i in range(40)])
    with db:
        for (number,) in accounts:
            db.execute("UPDATE account SET balance = balance - 1 WHERE id = ?", (number,))
    db.execute("DROP TABLE entry")


@near_miss("EndReadTransaction", setup=bank)
def reader_during_ten_commits(folder):
    reader, writer = connect(folder), connect(folder)
    rows = reader.execute("SELECT id, balance FROM account")
    rows.fetchone()
    for number in range(10):
        with writer:
            writer.executemany("INSERT INTO entry(account_id, amount) VALUES (?, ?)", [(number, i) for i in range(8)])
    print(len(rows.fetchall()))


@near_miss("HandleBusy", "AvoidIdleWriter", setup=bank)
def work_before_the_transaction(folder):
    done = []

    def pay(account):
        db = connect(folder, timeout=10)
        receipt = hashlib.pbkdf2_hmac("sha256", b"%d" % account, b"salt", 3000).hex()
        time.sleep(0.03 * account)
        with db:
            db.execute("UPDATE account SET balance = balance - 1 WHERE id = ?", (account,))
            db.execute("INSERT INTO entry(account_id, amount) VALUES (?, -1)", (account,))
        done.append(receipt)

    threads = [threading.Thread(target=pay, args=(account,)) for account in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# MARK: - Files


@warns("DoNotOpenDatabaseFile", setup=bank)
def reads_the_header(folder):
    db = connect(folder)
    print(db.execute("SELECT count(*) FROM account").fetchone())
    with open(folder + "/app.db", "rb") as file:  # HERE
        print(file.read(16))
    with db:
        db.execute("INSERT INTO entry VALUES (1, 1, 1)")


@warns("DoNotOpenDatabaseFile", setup=bank)
def copies_the_file(folder):
    db = connect(folder)
    with db:
        db.execute("UPDATE account SET balance = 1 WHERE id = 1")
    shutil.copyfile(folder + "/app.db", folder + "/backup.db")
    with db:
        db.execute("UPDATE account SET balance = 2 WHERE id = 1")


@warns("KeepWriteAheadLog", setup=bank)
def removes_the_log(folder):
    db = connect(folder)
    with db:
        db.execute("UPDATE account SET balance = 1 WHERE id = 1")
    os.remove(folder + "/app.db-wal")  # HERE
    with db:
        db.execute("UPDATE account SET balance = 2 WHERE id = 1")


@warns("KeepWriteAheadLog", setup=bank)
def replaces_the_file(folder):
    db = connect(folder)
    print(db.execute("SELECT sum(balance) FROM account").fetchone())
    fresh = connect(folder, "fresh.db")
    db.backup(fresh)
    fresh.close()
    os.replace(folder + "/fresh.db", folder + "/app.db")  # HERE
    with db:
        db.execute("INSERT INTO entry VALUES (2, 2, 2)")


@warns("OneNamePerDatabase", setup=bank)
def hard_link(folder):
    os.link(folder + "/app.db", folder + "/current.db")
    first, second = connect(folder), connect(folder, "current.db")
    print(first.execute("SELECT count(*) FROM entry").fetchone())
    print(second.execute("SELECT count(*) FROM entry").fetchone())


@warns("DoNotUseAfterFork", setup=bank)
def child_with_the_connection(folder):
    db = connect(folder, isolation_level=None)
    print(db.execute("SELECT count(*) FROM entry").fetchone())
    child = os.fork()
    if child == 0:
        db.execute("INSERT INTO entry VALUES (3, 3, 3)")  # HERE
        os._exit(0)
    os.waitpid(child, 0)


@warns("DoNotUseAfterFork", setup=bank)
def process_of_a_pool(folder):
    db = connect(folder)
    (count,) = db.execute("SELECT count(*) FROM account").fetchone()

    def work():
        print(count, db.execute("SELECT sum(balance) FROM account").fetchone())  # HERE

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join()


@warns("HandleCorruption")
def not_a_database(folder):
    with open(folder + "/app.db", "w") as file:
        file.write("name,amount\n" * 400)
    db = connect(folder)
    try:
        print(db.execute("SELECT name FROM item").fetchall())  # HERE
    except sqlite3.DatabaseError as error:
        print(error)


@warns("HandleCorruption", setup=damaged)
def damaged_page(folder):
    db = connect(folder)
    try:
        print(db.execute("SELECT sum(length(note)) FROM account").fetchone())
    except sqlite3.DatabaseError as error:
        print(error)


@near_miss("DoNotOpenDatabaseFile", setup=bank)
def backup_of_the_library(folder):
    with open(folder + "/app.db", "rb") as file:
        print(file.read(16))
    db, copy = connect(folder), connect(folder, "backup.db")
    db.backup(copy)
    copy.close()
    print(os.path.getsize(folder + "/app.db"), os.stat(folder + "/app.db").st_mtime > 0)
    with open(folder + "/backup.db", "rb") as file:
        print(hashlib.md5(file.read()).hexdigest() != "")


@near_miss("DoNotOpenDatabaseFile", setup=bank)
def copy_of_vacuum(folder):
    db = connect(folder, isolation_level=None)
    db.execute("VACUUM INTO ?", (folder + "/small.db",))
    shutil.copyfile(folder + "/small.db", folder + "/sent.db")
    print(os.path.getsize(folder + "/sent.db") > 0)


@near_miss("KeepWriteAheadLog", setup=bank)
def removed_after_the_close(folder):
    db = connect(folder, "scratch.db")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE t(a)")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    os.remove(folder + "/scratch.db")


@near_miss("KeepWriteAheadLog", "DoNotOpenDatabaseFile", setup=bank)
def published_copy(folder):
    db = connect(folder, isolation_level=None)
    for number in range(2):
        db.execute("UPDATE account SET balance = ? WHERE id = 1", (number,))
        db.execute("VACUUM INTO ?", (folder + "/new.db",))
        os.replace(folder + "/new.db", folder + "/published.db")


@near_miss("OneNamePerDatabase", setup=bank)
def symbolic_link(folder):
    os.symlink("app.db", folder + "/current.db")
    first, second = connect(folder), connect(folder, "current.db")
    print(first.execute("SELECT count(*) FROM entry").fetchone(), second.execute("SELECT count(*) FROM entry").fetchone())


@near_miss("DoNotUseAfterFork", setup=bank)
def child_with_its_own(folder):
    db = connect(folder, isolation_level=None)
    print(db.execute("SELECT count(*) FROM entry").fetchone())
    child = os.fork()
    if child == 0:
        own = connect(folder, isolation_level=None)
        own.execute("INSERT INTO entry VALUES (3, 3, 3)")
        os._exit(0)
    os.waitpid(child, 0)
    print(subprocess.run(["true"]).returncode, db.execute("SELECT count(*) FROM entry").fetchone())


@near_miss("HandleCorruption", setup=bank)
def checked_file(folder):
    db = connect(folder)
    print(db.execute("PRAGMA quick_check").fetchone())
    for name in ("missing", "account"):
        try:
            print(db.execute(f"SELECT count(*) FROM {name}").fetchone())
        except sqlite3.OperationalError as error:
            print(error)


# MARK: - The log


@warns("AvoidCheckpointStall", setup=bank)
def reader_over_a_large_log(folder):
    reader, writer = connect(folder), connect(folder)
    rows = reader.execute("SELECT id FROM account")
    rows.fetchone()
    writer.execute("CREATE TABLE picture(data BLOB)")
    for number in range(24):
        with writer:
            writer.executemany("INSERT INTO picture VALUES (?)", [(bytes(60_000),) for _ in range(15)])
    print(len(rows.fetchall()))


@warns("AllowLogReset", setup=bank)
def readers_that_overlap(folder):
    writer = connect(folder)
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.execute("CREATE TABLE picture(data BLOB)")
    before = None
    for number in range(5):
        with writer:
            writer.executemany("INSERT INTO picture VALUES (?)", [(bytes(60_000),) for _ in range(60)])
        reader = connect(folder, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM account").fetchone()
        if before:
            before.execute("COMMIT")
            before.close()
        before = reader
        writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()


@warns("AvoidForeignCheckpoint", setup=bank)
def small_write_after_a_job(folder):
    job, web = connect(folder), connect(folder)
    job.execute("PRAGMA wal_autocheckpoint = 0")
    job.execute("CREATE TABLE picture(data BLOB)")
    for number in range(5):
        for _ in range(8):
            with job:
                job.executemany("INSERT INTO picture VALUES (?)", [(bytes(60_000),) for _ in range(10)])
        with web:
            web.execute("INSERT INTO entry(account_id, amount) VALUES (?, 1)", (number,))


@near_miss("AvoidCheckpointStall", "AllowLogReset", setup=bank)
def log_of_one_writer(folder):
    db = connect(folder)
    db.execute("CREATE TABLE picture(data BLOB)")
    for number in range(12):
        with db:
            db.executemany("INSERT INTO picture VALUES (?)", [(bytes(60_000),) for _ in range(30)])
    print(db.execute("SELECT count(*) FROM picture").fetchone())


# MARK: - Indexes


def sized(folder):
    db = connect(folder)
    db.executescript("""
        CREATE TABLE ride(id INTEGER PRIMARY KEY, rider INT, bike INT, start INT, minutes INT);
        CREATE TABLE bike(id INTEGER PRIMARY KEY, code TEXT COLLATE NOCASE);
    """)
    db.executemany("INSERT INTO ride VALUES (?,?,?,?,?)", [(i, i % 900, i % 40, i, i % 60) for i in range(12_000)])
    db.executemany("INSERT INTO bike VALUES (?,?)", [(i, f"Bike{i}") for i in range(40)])
    db.commit()


@warns("DropDuplicateIndex", setup=sized)
def equal_indexes(folder):
    db = connect(folder)
    db.executescript("CREATE INDEX ride_rider ON ride(rider); CREATE INDEX rides_by_rider ON ride(rider); ANALYZE")
    with db:
        db.executemany("INSERT INTO ride(rider, bike, start, minutes) VALUES (?,?,?,?)", [(i, i % 40, i, 5) for i in range(200)])
    print(db.execute("SELECT count(*) FROM ride WHERE rider = ?", (7,)).fetchone())


@warns("DropRedundantIndex", setup=sized)
def prefix_of_an_index(folder):
    db = connect(folder)
    db.executescript("CREATE INDEX ride_rider ON ride(rider); CREATE INDEX ride_rider_start ON ride(rider, start); ANALYZE")
    with db:
        db.executemany("INSERT INTO ride(rider, bike, start, minutes) VALUES (?,?,?,?)", [(i, i % 40, i, 5) for i in range(200)])
    print(db.execute("SELECT minutes FROM ride WHERE rider = ? ORDER BY start DESC LIMIT 3", (7,)).fetchall())


@near_miss("KeepStatistics", setup=sized)
def never_analyzed(folder):
    db = connect(folder)
    db.executescript("CREATE INDEX ride_rider ON ride(rider); CREATE INDEX ride_bike ON ride(bike)")
    print(len(db.execute("SELECT minutes FROM ride WHERE rider = ? AND bike = ?", (7, 7)).fetchall()))


@near_miss("DropDuplicateIndex", "DropRedundantIndex", "KeepStatistics", setup=sized)
def different_indexes(folder):
    db = connect(folder)
    db.executescript("""
        CREATE INDEX ride_rider ON ride(rider, start); CREATE INDEX ride_bike ON ride(bike, start);
        CREATE INDEX ride_long ON ride(rider) WHERE minutes > 55; CREATE INDEX bike_code ON bike(code);
        CREATE INDEX bike_exact ON bike(code COLLATE BINARY); ANALYZE""")
    with db:
        db.executemany("INSERT INTO ride(rider, bike, start, minutes) VALUES (?,?,?,?)", [(i, i % 40, i, 5) for i in range(200)])
        db.execute("INSERT INTO bike(code) VALUES ('new')")
    print(db.execute("SELECT minutes FROM ride WHERE rider = ? ORDER BY start DESC LIMIT 3", (7,)).fetchall())
    print(db.execute("SELECT minutes FROM ride WHERE bike = ? AND start > ?", (7, 11_900)).fetchall())
    print(db.execute("SELECT rider FROM ride WHERE rider = ? AND minutes > 55", (7,)).fetchall())
    print(db.execute("SELECT id FROM bike WHERE code = ?", ("BIKE7",)).fetchall())


@near_miss("DropRedundantIndex", setup=sized)
def unique_prefix(folder):
    db = connect(folder)
    db.executescript("CREATE UNIQUE INDEX bike_code ON bike(code); CREATE INDEX bike_code_id ON bike(code, id); ANALYZE")
    with db:
        db.executemany("INSERT INTO bike(code) VALUES (?)", [(f"New{i}",) for i in range(100)])
    print(db.execute("SELECT id FROM bike WHERE code = ?", ("new7",)).fetchone())
