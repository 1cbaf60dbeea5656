# SPDX-License-Identifier: Apache-2.0
"""Transactions for each row, repeated fetches, values in the text, and limits."""

import contextlib
import functools
import hashlib
import http.client
import http.server
import json
import os
import random
import socket
import sqlite3
import threading
import time
import unittest

from labels import connect, near_miss, warns, words


def stock(folder):
    db = connect(folder)
    db.executescript("""
        CREATE TABLE part(id INTEGER PRIMARY KEY, sku TEXT UNIQUE, name TEXT, amount INT);
        CREATE TABLE movement(id INTEGER PRIMARY KEY, part_id INT, change INT, at TEXT);
        CREATE INDEX movement_part ON movement(part_id);
        CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
        CREATE TABLE rate(currency TEXT PRIMARY KEY, value REAL);
        CREATE TABLE task(id INTEGER PRIMARY KEY, state TEXT);
    """)
    names = words(2000, seed=21)
    db.executemany("INSERT INTO part VALUES (?,?,?,?)", [(3000 + i, f"S-{i * 17}", names[i], i % 50) for i in range(2000)])
    db.executemany("INSERT INTO setting VALUES (?,?)", [("language", "de"), ("unit", "kg"), ("theme", "dark")])
    db.executemany("INSERT INTO rate VALUES (?,?)", [("EUR", 1.0), ("USD", 1.1), ("CHF", 0.95)])
    db.executemany("INSERT INTO task VALUES (?,?)", [(i, "waiting") for i in range(40)])
    db.commit()


@warns("GroupWrites", setup=stock)
def with_in_a_loop(folder):
    db = connect(folder)
    for index, name in enumerate(words(70, seed=22)):
        with db:
            db.execute("INSERT INTO part(sku, name) VALUES (?, ?)", (f"W-{index}", name))  # HERE


@warns("GroupWrites", setup=stock)
def autocommit(folder):
    db = connect(folder, isolation_level=None)
    for change in range(90):
        db.execute("INSERT INTO movement(part_id, change) VALUES (?, ?)", (3000 + change, -1))  # HERE


@warns("GroupWrites", setup=stock)
def get_or_create(folder):
    db = connect(folder)

    def part(sku):
        row = db.execute("SELECT id FROM part WHERE sku = ?", (sku,)).fetchone()
        if row:
            return row[0]
        number = db.execute("INSERT INTO part(sku, name) VALUES (?, ?)", (sku, sku.lower())).lastrowid
        db.commit()
        return number

    print(len({part(f"N-{number}") for number in range(90)}))


@warns("GroupWrites", setup=stock)
def active_record(folder):
    db = connect(folder)

    class Movement:
        def __init__(self, **values):
            self.values = values

        def save(self):
            columns, marks = ", ".join(self.values), ", ".join(f":{column}" for column in self.values)
            db.execute(f"INSERT INTO movement ({columns}) VALUES ({marks})", self.values)  # HERE
            db.commit()

    for number in range(70):
        Movement(part_id=3000 + number, change=number % 7, at="2025-01-01").save()


@warns("GroupWrites", setup=stock)
def session_for_each_order(folder):
    db = connect(folder, isolation_level=None)

    @contextlib.contextmanager
    def session():
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")

    for number in range(80):
        with session() as active:
            active.execute("UPDATE part SET amount = amount - 1 WHERE id = ?", (3000 + number * 3,))
            active.execute("INSERT INTO movement(part_id, change) VALUES (?, -1)", (3000 + number * 3,))


@warns("GroupWrites", setup=stock)
def progress_of_a_job(folder):
    db = connect(folder)
    lines = words(80, seed=23)
    for done, line in enumerate(lines, 1):
        hash(line)
        db.execute("INSERT INTO setting VALUES ('progress', ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",  # HERE
                   (done,))
        db.commit()


@near_miss("GroupWrites", setup=stock)
def one_transaction(folder):
    db = connect(folder)
    with db:
        for change in range(800):
            db.execute("INSERT INTO movement(part_id, change) VALUES (?, ?)", (3000 + change, 1))


@near_miss("GroupWrites", setup=stock)
def parts_of_a_hundred(folder):
    db = connect(folder)
    for number in range(2000):
        db.execute("INSERT INTO movement(part_id, change) VALUES (?, ?)", (number, 1))
        if number % 100 == 99:
            db.commit()
    db.commit()


@near_miss("GroupWrites", setup=stock)
def savepoints(folder):
    db = connect(folder, isolation_level=None)
    db.execute("BEGIN")
    for number in range(120):
        db.execute("SAVEPOINT line")
        try:
            db.execute("INSERT INTO part(sku, name) VALUES (?, ?)", (f"S-{number * 8}", "part"))
            db.execute("RELEASE line")
        except sqlite3.IntegrityError:
            db.execute("ROLLBACK TO line")
            db.execute("RELEASE line")
    db.execute("COMMIT")


@near_miss("GroupWrites", setup=stock)
def in_memory(folder):
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute("CREATE TABLE seen(word TEXT PRIMARY KEY)")
    for word in words(300, seed=24):
        db.execute("INSERT OR IGNORE INTO seen VALUES (?)", (word,))


@near_miss("GroupWrites", setup=stock)
def temporary_table(folder):
    db = connect(folder, isolation_level=None)
    db.execute("CREATE TEMP TABLE chosen(id INTEGER PRIMARY KEY)")
    for number in range(100):
        db.execute("INSERT INTO temp.chosen VALUES (?)", (3000 + number * 2,))
    print(len(db.execute("SELECT part.name FROM temp.chosen CROSS JOIN part ON part.id = chosen.id").fetchall()))


@near_miss("GroupWrites", setup=stock)
def steps_of_a_migration(folder):
    db = connect(folder)
    for version in range(20):
        with db:
            db.execute(f"ALTER TABLE task ADD COLUMN field_{version} TEXT")
            db.execute(f"PRAGMA user_version = {version + 1}")


def serve(folder, requests, *pragmas):
    """A server with a connection and a transaction for each request."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            change = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            db = connect(folder)
            for pragma in pragmas:
                db.execute(pragma)
            with db:
                db.execute("INSERT INTO movement(part_id, change) VALUES (?, ?)", (change["part"], change["change"]))
            db.close()
            self.send_response(204)
            self.end_headers()

        def log_message(self, *values):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = http.client.HTTPConnection(*server.server_address)
    for number in range(requests):
        client.request("POST", "/movements", json.dumps({"part": 3000 + number, "change": 1}))
        client.getresponse().read()
    client.close()
    server.shutdown()


@near_miss("GroupWrites", "AvoidQueryInLoop", setup=stock)
def requests_of_a_server(folder):
    serve(folder, 60)


def serve_one_client(folder, family, address, receive):
    """A server with one connection that is kept for all requests."""
    db = connect(folder)
    server, client = socket.socket(family), socket.socket(family)
    server.bind(address)
    server.listen()
    client.connect(server.getsockname())

    def ask():
        for number in range(60):
            client.sendall(b"%d" % number)
            receive(client)
        client.close()

    threading.Thread(target=ask).start()
    peer = server.accept()[0]
    while request := receive(peer):
        with db:
            db.execute("INSERT INTO movement(part_id, change) VALUES (?, 1)", (3000 + int(request),))
        peer.sendall(b"ok")


@near_miss("GroupWrites", "AvoidQueryInLoop", setup=stock)
def requests_read_by_descriptor(folder):
    """As libuv reads them, by read(2)."""
    serve_one_client(folder, socket.AF_INET, ("127.0.0.1", 0), lambda peer: os.read(peer.fileno(), 100))


@near_miss("GroupWrites", "AvoidQueryInLoop", setup=stock)
def requests_of_a_unix_socket(folder):
    serve_one_client(folder, socket.AF_UNIX, os.path.join(folder, "server"), lambda peer: peer.recv(100))


def on_standard_input(write):
    """The lines that a client writes to a pipe, from which this process reads its standard input."""
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)

    def ask():
        with open(writing, "w") as client:
            write(client)

    threading.Thread(target=ask).start()
    return open(0)


@near_miss("GroupWrites", "AvoidQueryInLoop", setup=stock)
def requests_on_standard_input(folder):
    """A client that waits for each answer, as those of language servers do."""
    db = connect(folder)
    answered = threading.Semaphore(0)

    def ask(client):
        for number in range(60):
            client.write(f"{number}\n")
            client.flush()
            answered.acquire()

    for request in on_standard_input(ask):
        with db:
            db.execute("INSERT INTO movement(part_id, change) VALUES (?, 1)", (3000 + int(request),))
        answered.release()


@warns("GroupWrites", setup=stock)
def lines_of_a_pipe(folder):
    """A file that another program writes: all lines are there, as of `cat parts.csv | import`."""
    db = connect(folder)
    written = threading.Event()

    def copy(client):
        client.writelines(f"{number},{word}\n" for number, word in enumerate(words(2000, seed=30)))
        client.flush()
        written.set()

    lines = on_standard_input(copy)
    written.wait()
    for line in lines:
        with db:
            db.execute("INSERT INTO movement(part_id, at) VALUES (?, ?)", line.rstrip().split(","))  # HERE


@near_miss("GroupWrites", "AvoidQueryInLoop", setup=stock)
def worker_with_two_statements(folder):
    """Reads the next task and claims it in a transaction, works, and stores the result."""
    db = connect(folder, isolation_level=None)
    db.executemany("INSERT INTO task(state) VALUES (?)", [("waiting",)] * 30)
    while True:
        db.execute("BEGIN IMMEDIATE")
        task = db.execute("SELECT id FROM task WHERE state = 'waiting' ORDER BY id LIMIT 1").fetchone()
        if task:
            db.execute("UPDATE task SET state = 'running' WHERE id = ?", task)
        db.execute("COMMIT")
        if not task:
            break
        hashlib.pbkdf2_hmac("sha256", b"%d" % task[0], b"salt", 2000)
        db.execute("UPDATE task SET state = 'done' WHERE id = ?", task)


@warns("GroupWrites", setup=stock)
def update_or_create(folder):
    """It reads a row with LIMIT and writes it, as the worker of a queue does, but a row of its own each time."""
    db = connect(folder)
    for number in range(0, 180, 3):
        with db:
            db.execute("BEGIN")
            (part,) = db.execute("SELECT id FROM part WHERE sku = ? LIMIT 1", (f"S-{number * 17}",)).fetchone()
            db.execute("UPDATE part SET amount = ? WHERE id = ?", (number, part))  # HERE


@near_miss("GroupWrites", "AvoidQueryInLoop", setup=stock)
def tests_of_unittest(folder):
    """One file for all tests, each of which writes a row."""
    class Tests(unittest.TestCase):
        def setUp(self):
            self.db = connect(folder)
            self.addCleanup(self.db.close)

    def test(self, number):
        with self.db:
            self.db.execute("UPDATE part SET amount = ? WHERE id = ?", (number, 3000 + number))
        self.assertEqual(self.db.execute("SELECT amount FROM part WHERE id = ?", (3000 + number,)).fetchone(), (number,))

    for number in range(60):
        setattr(Tests, f"test_{number:02}", functools.partialmethod(test, number))
    unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(Tests))


@warns("AvoidSyncForFewRows", setup=stock, options=["--io"])
def requests_with_a_journal(folder):
    serve(folder, 60)


@near_miss("AvoidSyncForFewRows", setup=stock, options=["--io"])
def requests_with_a_log(folder):
    db = connect(folder)
    db.execute("PRAGMA journal_mode = WAL")
    print(db.execute("SELECT count(*) FROM movement").fetchone())
    serve(folder, 60, "PRAGMA synchronous = NORMAL")
    db.close()


@warns("AvoidFrequentCheckpoint", setup=stock, options=["--io"])
def checkpoint_of_ten_pages(folder):
    db = connect(folder)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA wal_autocheckpoint = 10")
    for number in range(60):
        with db:
            db.executemany("INSERT INTO movement(part_id, change) VALUES (?, ?)", [(3000 + i, number) for i in range(8)])


@near_miss("AvoidFrequentCheckpoint", "AvoidSyncForFewRows", setup=stock, options=["--io"])
def checkpoint_of_a_thousand_pages(folder):
    db = connect(folder)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    for number in range(60):
        with db:
            db.executemany("INSERT INTO movement(part_id, change) VALUES (?, ?)", [(3000 + i, number) for i in range(8)])


@near_miss("GroupWrites", setup=stock)
def thirty_commits(folder):
    db = connect(folder)
    for number in range(30):
        db.execute("UPDATE part SET amount = ? WHERE sku = ?", (number, f"S-{number * 17}"))
        db.commit()


@near_miss("GroupWrites", setup=stock)
def parts_of_twenty(folder):
    db = connect(folder)
    rows = [(number, 1) for number in range(1200)]
    for start in range(0, len(rows), 20):
        with db:
            db.executemany("INSERT INTO movement(part_id, change) VALUES (?, ?)", rows[start:start + 20])


@near_miss("GroupWrites", setup=stock)
def temporary_database(folder):
    db = sqlite3.connect("", isolation_level=None)
    db.execute("CREATE TABLE edge(a INT, b INT, PRIMARY KEY(a, b))")
    for number in range(120):
        db.execute("INSERT INTO edge VALUES (?, ?)", (number, number * number % 101))
    print(db.execute("SELECT count(DISTINCT b) FROM edge").fetchone())


# MARK: - Repeated fetches


@warns("AvoidRepeatedFetch", setup=stock)
def setting_for_each_line(folder):
    db = connect(folder)

    def setting(key):
        return db.execute("SELECT value FROM setting WHERE key = ?", (key,)).fetchone()[0]  # HERE

    for word in words(60, seed=25):
        print(word, setting("unit"), setting("language"))


@warns("AvoidRepeatedFetch", setup=stock)
def rates_for_each_line(folder):
    db = connect(folder)
    orders = [(currency, amount) for amount in range(30) for currency in ("EUR", "USD", "CHF")]
    print(sum(amount * db.execute("SELECT value FROM rate WHERE currency = ?", (currency,)).fetchone()[0]
              for currency, amount in orders))


@warns("AvoidRepeatedFetch", setup=stock)
def all_settings_each_time(folder):
    db = connect(folder)
    db.row_factory = sqlite3.Row

    class Config:
        def __getattr__(self, key):
            return {row["key"]: row["value"] for row in db.execute("SELECT key, value FROM setting")}[key]  # HERE

    config = Config()
    print([f"{word} {config.unit}" for word in words(40, seed=26)])


@warns("AvoidRepeatedFetch", setup=stock)
def total_for_the_progress(folder):
    db = connect(folder)
    for done, (sku,) in enumerate(db.execute("SELECT sku FROM part ORDER BY id LIMIT 50").fetchall(), 1):
        total = db.execute("SELECT count(*) FROM task WHERE state = 'waiting'").fetchone()[0]  # HERE
        print(f"{sku}: {done} of {total}")


@near_miss("AvoidRepeatedFetch", setup=stock)
def poll_until_done(folder):
    db = connect(folder)

    def work():
        with connect(folder) as own:
            time.sleep(0.25)
            own.execute("UPDATE task SET state = 'done' WHERE id = 7")

    thread = threading.Thread(target=work)
    thread.start()
    while db.execute("SELECT state FROM task WHERE id = ?", (7,)).fetchone() != ("done",):
        time.sleep(0.01)
    thread.join()


@near_miss("AvoidRepeatedFetch", setup=stock)
def clock_and_dice(folder):
    db = connect(folder)
    for _ in range(40):
        print(db.execute("SELECT random() % 6, lower(hex(randomblob(4)))").fetchone())
        print(db.execute("SELECT strftime('%Y', 'now')").fetchone())


@near_miss("AvoidRepeatedFetch", setup=stock)
def position_before_each_insert(folder):
    db = connect(folder)
    with db:
        for number in range(40):
            (last,) = db.execute("SELECT coalesce(max(id), 0) FROM movement").fetchone()
            db.execute("INSERT INTO movement(id, part_id, change) VALUES (?, ?, 1)", (last + 10, 3000 + number))


@near_miss("AvoidRepeatedFetch", setup=stock)
def keys_of_inserts(folder):
    db = connect(folder)
    with db:
        for number in range(60):
            db.execute("INSERT INTO movement(part_id, change) VALUES (?, 2)", (3000 + number,))
            print(db.execute("SELECT last_insert_rowid()").fetchone(), db.execute("SELECT changes()").fetchone())


@near_miss("AvoidRepeatedFetch", setup=stock)
def balance_after_each_commit(folder):
    db = connect(folder)
    for number in range(20):
        with db:
            db.execute("UPDATE part SET amount = amount + ? WHERE id = 3001", (number,))
        print(db.execute("SELECT amount FROM part WHERE id = 3001").fetchone())


@near_miss("AvoidRepeatedFetch", setup=stock)
def user_of_each_request(folder):
    for number in range(25):
        db = connect(folder)
        print(db.execute("SELECT value FROM setting WHERE key = 'theme'").fetchone())
        print(db.execute("SELECT name FROM part WHERE id = ?", (3000 + number * 7 % 40,)).fetchone())
        db.close()


@near_miss("AvoidRepeatedFetch", setup=stock)
def change_counter_of_the_file(folder):
    db = connect(folder)
    for _ in range(30):
        print(db.execute("PRAGMA data_version").fetchone())
        time.sleep(0.002)


# MARK: - Values in the text


@warns("BindParameters", setup=stock)
def select_with_a_number(folder):
    db = connect(folder)
    numbers = random.Random(4).sample(range(3000, 5000), 200)
    print(len([db.execute(f"SELECT name, amount FROM part WHERE id = {number}").fetchone() for number in numbers]))


@warns("BindParameters", setup=stock)
def insert_with_quotes(folder):
    db = connect(folder)
    for index, word in enumerate(words(160, seed=27)):
        db.execute("INSERT INTO part(sku, name) VALUES ('%s', '%s')" % (f"Q-{index}", word.replace("'", "''")))  # HERE
    db.commit()


@warns("BindParameters", setup=stock)
def update_by_a_builder(folder):
    db = connect(folder)

    def update(table, values, key):
        pairs = ", ".join(f"{column} = {value!r}" for column, value in values.items())
        db.execute(f"UPDATE {table} SET {pairs} WHERE id = {key}")  # HERE

    with db:
        for number in range(140):
            update("part", {"amount": number * 3 + 1, "name": f"part {number}"}, 3000 + number)


@near_miss("BindParameters", setup=stock)
def lists_of_all_lengths(folder):
    db = connect(folder)
    for length in range(1, 106):
        marks = ", ".join("?" * length)
        db.execute(f"SELECT sum(amount) FROM part WHERE id IN ({marks})", range(3000 + length, 3000 + 2 * length)).fetchone()


@near_miss("BindParameters", setup=stock)
def forms_of_a_filter(folder):
    db = connect(folder)
    dice = random.Random(3)
    for _ in range(150):
        terms = dice.sample(["amount > ?", "name > ?", "sku > ?", "amount < ?"], dice.randint(1, 2))
        db.execute(f"SELECT id FROM part WHERE id < 3400 AND {' AND '.join(terms)} LIMIT 5",
                   [str(dice.random()) for _ in terms]).fetchall()


@near_miss("BindParameters", setup=stock)
def thirty_texts(folder):
    db = connect(folder)
    for number in range(30):
        print(db.execute(f"SELECT name FROM part WHERE id = {3000 + number * 5}").fetchone())


@near_miss("BindParameters", setup=stock)
def tables_of_months(folder):
    db = connect(folder)
    with db:
        for month in range(110):
            db.execute(f"CREATE TABLE log_{month}(at INTEGER PRIMARY KEY, text TEXT)")


@near_miss("BindParameters", "GroupWrites", setup=stock)
def restore_of_a_dump(folder):
    db, copy = connect(folder), connect(folder, "copy.db")
    db.execute("DELETE FROM part WHERE id >= 3130")
    copy.executescript("\n".join(db.iterdump()))
    print(copy.execute("SELECT count(*) FROM part").fetchone())


@near_miss("BindParameters", "AvoidRepeatedFetch", setup=stock)
def connection_for_each_call(folder):
    for number in range(105):
        db = connect(folder)
        db.execute("SELECT name, amount FROM part WHERE id = ?", (3000 + number * 13,)).fetchone()
        db.close()


# MARK: - Limits


@warns("RespectLimits", setup=stock)
def too_many_variables(folder):
    db = connect(folder)
    db.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
    numbers = list(range(3000, 4500))
    try:
        db.execute(f"SELECT name FROM part WHERE id IN ({','.join('?' * len(numbers))})", numbers)  # HERE
    except sqlite3.OperationalError as error:
        print(error)


@warns("RespectLimits", setup=stock)
def too_many_terms(folder):
    db = connect(folder)
    rows = " UNION ALL ".join(f"SELECT 'U-{number}', 'part'" for number in range(600))
    try:
        db.execute("INSERT INTO part(sku, name) " + rows)
    except sqlite3.OperationalError as error:
        print("not imported:", error)


@warns("RespectLimits", setup=stock)
def too_deep(folder):
    db = connect(folder)
    keys = [(number, number + 1) for number in range(1200)]
    where = " OR ".join("(id = ? AND amount < ?)" for _ in keys)
    try:
        print(db.execute(f"SELECT id FROM part WHERE {where}", [value for key in keys for value in key]).fetchall())
    except sqlite3.OperationalError as error:
        print(error)


@near_miss("RespectLimits", setup=stock)
def expected_errors(folder):
    db = connect(folder)
    refused = 0
    with db:
        for number in range(20):
            try:
                db.execute("INSERT INTO part(sku, name) VALUES (?, 'again')", (f"S-{number * 17}",))
            except sqlite3.IntegrityError:
                refused += 1
    try:
        print(db.execute("SELECT version FROM schema_version").fetchone())
    except sqlite3.OperationalError:
        db.execute("CREATE TABLE schema_version(version INT)")
    print(refused)


@near_miss("RespectLimits", setup=stock)
def keys_as_json(folder):
    db = connect(folder)
    keys = json.dumps(list(range(3000, 5000)))
    print(len(db.execute("SELECT name FROM part WHERE id IN (SELECT value FROM json_each(?))", (keys,)).fetchall()))


@near_miss("RespectLimits", setup=stock)
def chunks_below_the_limit(folder):
    db = connect(folder)
    db.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
    numbers, found = list(range(3000, 5000)), 0
    for start in range(0, len(numbers), 900):
        part = numbers[start:start + 900]
        found += len(db.execute(f"SELECT name FROM part WHERE id IN ({','.join('?' * len(part))})", part).fetchall())
    print(found)


@near_miss("RespectLimits", setup=stock)
def stopped_by_the_user(folder):
    db = connect(folder)
    db.set_progress_handler(lambda: True, 50)
    try:
        db.execute("SELECT id, name FROM part ORDER BY id").fetchall()
    except sqlite3.OperationalError as error:
        print(error)
