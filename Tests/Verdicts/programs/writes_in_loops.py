# SPDX-License-Identifier: Apache-2.0
"""A write for each row of a list, and batches that look like it."""

import hashlib
import socket
import threading

from labels import connect, near_miss, warns, words


def inbox(folder):
    db = connect(folder)
    db.executescript("""
        CREATE TABLE letter(id INTEGER PRIMARY KEY, sender TEXT, state TEXT, secret TEXT, position INT);
        CREATE TABLE page(id INTEGER PRIMARY KEY, letter_id INT, text TEXT);
        CREATE INDEX page_letter ON page(letter_id);
        CREATE TABLE tally(sender TEXT PRIMARY KEY, letters INT DEFAULT 0) WITHOUT ROWID;
        CREATE TABLE login(token TEXT PRIMARY KEY, until INT);
        CREATE INDEX letter_state ON letter(state);
    """)
    names = words(40, seed=3)
    db.executemany("INSERT INTO letter VALUES (?,?,?,?,?)", [
        (9000 + 11 * i, names[i * 7 % 40], "new" if i % 3 else "read", f"secret {i}", i) for i in range(240)])
    db.executemany("INSERT INTO page VALUES (?,?,?)", [(i, 9000 + 11 * (i // 2), "…") for i in range(480)])
    db.executemany("INSERT OR IGNORE INTO tally(sender) VALUES (?)", [(name,) for name in names])
    db.executemany("INSERT INTO login VALUES (?,?)", [(hashlib.md5(b"%d" % i).hexdigest(), i % 100) for i in range(200)])
    db.commit()


@warns("AvoidQueryInLoop", setup=inbox)
def marks_as_read(folder):
    db = connect(folder)
    with db:
        for (number,) in db.execute("SELECT id FROM letter WHERE state = 'new'").fetchall():
            db.execute("UPDATE letter SET state = 'read' WHERE id = ?", (number,))  # HERE


@warns("AvoidQueryInLoop", setup=inbox)
def expires_logins(folder):
    db = connect(folder)
    old = db.execute("SELECT token FROM login WHERE until < ?", (60,)).fetchall()
    db.executemany("DELETE FROM login WHERE token = ?", old)  # HERE
    db.commit()


@warns("AvoidQueryInLoop", setup=inbox)
def cascade_by_hand(folder):
    db = connect(folder)
    doomed = [row[0] for row in db.execute("SELECT id FROM letter WHERE state = 'read'")]
    with db:
        for number in doomed:
            db.execute("DELETE FROM page WHERE letter_id = ?", (number,))
            db.execute("DELETE FROM letter WHERE id = ?", (number,))


@warns("AvoidQueryInLoop", setup=inbox)
def counts_by_hand(folder):
    db = connect(folder)
    with db:
        for (sender,) in db.execute("SELECT sender FROM letter ORDER BY id").fetchall():
            db.execute("UPDATE tally SET letters = letters + 1 WHERE sender = ?", (sender,))  # HERE


@warns("AvoidQueryInLoop", "GroupWrites", setup=inbox)
def commit_for_each_row(folder):
    db = connect(folder)
    for number, _ in db.execute("SELECT id, sender FROM letter WHERE state = ? ORDER BY id", ("new",)).fetchall():
        db.execute("UPDATE letter SET state = 'seen' WHERE id = ?", (number,))  # HERE
        db.commit()


# MARK: - Near misses


@near_miss("AvoidQueryInLoop", setup=inbox)
def upsert_of_a_feed(folder):
    db = connect(folder)
    feed = [(name, index) for index, name in enumerate(words(500, seed=9))]
    with db:
        db.executemany("INSERT INTO tally VALUES (?, ?) ON CONFLICT(sender) DO UPDATE SET letters = excluded.letters", feed)


@near_miss("AvoidQueryInLoop", setup=inbox)
def new_hashes(folder):
    db = connect(folder)
    rows = db.execute("SELECT id, secret FROM letter ORDER BY id").fetchall()
    with db:
        db.executemany("UPDATE letter SET secret = ? WHERE id = ?", [
            (hashlib.sha256(secret.encode()).hexdigest(), number) for number, secret in rows])


@near_miss("AvoidQueryInLoop", setup=inbox)
def order_by_drag_and_drop(folder):
    db = connect(folder)
    numbers = [row[0] for row in db.execute("SELECT id FROM letter ORDER BY position LIMIT 30")]
    numbers.insert(3, numbers.pop(20))
    with db:
        for position, number in enumerate(numbers):
            db.execute("UPDATE letter SET position = ? WHERE id = ?", (position * 10, number))


@near_miss("AvoidQueryInLoop", "GroupWrites", setup=inbox)
def copy_to_another_file(folder):
    db, archive = connect(folder), connect(folder, "archive.db")
    archive.execute("CREATE TABLE letter(id INTEGER PRIMARY KEY, sender TEXT, state TEXT)")
    cursor = db.execute("SELECT id, sender, state FROM letter")
    while part := cursor.fetchmany(50):
        with archive:
            archive.executemany("INSERT INTO letter VALUES (?,?,?)", part)


@near_miss("AvoidQueryInLoop", setup=inbox)
def five_rows(folder):
    db = connect(folder)
    with db:
        for (number,) in db.execute("SELECT id FROM letter WHERE state = 'new' ORDER BY id LIMIT 5").fetchall():
            db.execute("UPDATE letter SET state = 'pinned' WHERE id = ?", (number,))


@near_miss("AvoidQueryInLoop", setup=inbox)
def queue_with_returning(folder):
    db = connect(folder)
    for _ in range(20):
        with db:
            taken = db.execute("""UPDATE letter SET state = 'sent' WHERE id = (
                SELECT id FROM letter WHERE state = 'new' LIMIT 1) RETURNING id, secret""").fetchone()
        print(hashlib.pbkdf2_hmac("sha256", taken[1].encode(), b"salt", 2000).hex())


@near_miss("AvoidQueryInLoop", setup=inbox)
def one_statement(folder):
    with connect(folder) as db:
        print(db.execute("UPDATE letter SET state = 'read' WHERE state = 'new'").rowcount)
        print(db.execute("DELETE FROM page WHERE letter_id IN (SELECT id FROM letter WHERE sender = ?)", ("vamiren",)).rowcount)


@near_miss("AvoidQueryInLoop", setup=inbox)
def sent_one_by_one(folder):
    """Each letter is marked when it was sent, so that none is sent twice after a crash."""
    db = connect(folder)
    server = socket.create_server(("127.0.0.1", 0))

    def accept():
        with server.accept()[0] as peer:
            while text := peer.recv(1000):
                peer.sendall(b"250 OK " + text)

    threading.Thread(target=accept, daemon=True).start()
    post = socket.create_connection(server.getsockname())
    for number, secret in db.execute("SELECT id, secret FROM letter WHERE state = 'new' ORDER BY id LIMIT 25").fetchall():
        post.sendall(secret.encode())
        post.recv(1000)
        with db:
            db.execute("UPDATE letter SET state = 'sent' WHERE id = ?", (number,))


@near_miss("GroupWrites", "AvoidQueryInLoop", setup=inbox)
def deletes_in_parts(folder):
    db = connect(folder)
    while True:
        with db:
            gone = db.execute("DELETE FROM page WHERE id IN (SELECT id FROM page WHERE letter_id < 10000 LIMIT 20)").rowcount
        if gone == 0:
            break
