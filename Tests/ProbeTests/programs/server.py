# SPDX-License-Identifier: Apache-2.0
"""A random server: server.py SEED FILE. Odd seeds have a query for each row of a list, even ones have none.

Prints `loop` and the name of the page that has one, or `none`.
"""

import random
import sqlite3
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

seed, path = int(sys.argv[1]), sys.argv[2]
choose = random.Random(seed)
TEXT_KEYS = choose.random() < 0.3
LISTED = choose.randint(10, 120)


def key(number):
    return f"k{number * 7919 % 100003}" if TEXT_KEYS else number


def make():
    db = sqlite3.connect(path)
    kind = "TEXT" if TEXT_KEYS else "INTEGER"
    db.executescript(f"""
        CREATE TABLE customer(id {kind} PRIMARY KEY, name TEXT, visits INT DEFAULT 0);
        CREATE TABLE product(id {kind} PRIMARY KEY, category INT, price REAL, name TEXT);
        CREATE TABLE category(id INTEGER PRIMARY KEY, parent INT, name TEXT);
        CREATE TABLE orders(id INTEGER PRIMARY KEY, customer {kind}, state INT, day TEXT);
        CREATE TABLE item(orders INT, product {kind}, amount INT, PRIMARY KEY(orders, product)) WITHOUT ROWID;
        CREATE TABLE log(id INTEGER PRIMARY KEY, text TEXT, number INT);
        CREATE INDEX orders_customer ON orders(customer);""")
    db.executemany("INSERT INTO customer(id, name) VALUES (?, ?)", [(key(i), f"c{i}") for i in range(1, 201)])
    db.executemany("INSERT INTO product VALUES (?, ?, ?, ?)",
                   [(key(i), i % 10 + 1, i / 4, f"p{i}") for i in range(1, 101)])
    db.executemany("INSERT INTO category VALUES (?, ?, ?)", [(i, (i + 1) // 3, f"g{i}") for i in range(1, 11)])
    db.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)",
                   [(i, key(i * 37 % 200 + 1), i % 3, f"2026-{i % 12 + 1:02}") for i in range(1, 601)])
    db.executemany("INSERT OR IGNORE INTO item VALUES (?, ?, ?)",
                   [(i, key((i * 13 + j * 29) % 100 + 1), j) for i in range(1, 601) for j in range(3)])
    db.commit()
    db.close()


# MARK: - Pages without a loop

def joined(db, pick):
    return db.execute("SELECT o.id, c.name FROM orders o JOIN customer c ON c.id = o.customer LIMIT ?",
                      (LISTED,)).fetchall()


def with_list(db, pick):
    ids = [row[1] for row in db.execute("SELECT id, customer FROM orders ORDER BY id LIMIT ?", (LISTED,))]
    return db.execute(f"SELECT id, name FROM customer WHERE id IN ({','.join('?' * len(ids))})", ids).fetchall()


def in_chunks(db, pick):
    ids = [row[0] for row in db.execute("SELECT id FROM product")]
    for i in range(0, len(ids), 20):
        db.execute("SELECT name FROM product WHERE id IN (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   ids[i:i + 20]).fetchall()


def menu_and_product(db, pick):
    db.execute("SELECT id, parent, name FROM category").fetchall()
    db.execute("SELECT name, price FROM product WHERE id = ?", (key(pick.randint(1, 100)),)).fetchone()


def product_and_category(db, pick):
    row = db.execute("SELECT category FROM product WHERE id = ?", (key(pick.randint(1, 100)),)).fetchone()
    db.execute("SELECT name FROM category WHERE id = ?", row).fetchone()


def customer(db, pick):
    db.execute("SELECT name FROM customer WHERE id = ?", (key(pick.randint(1, 200)),)).fetchone()


def own_orders(db, pick):
    rows = db.execute("SELECT id, state, customer FROM orders WHERE customer = ?",
                      (key(pick.randint(1, 200)),)).fetchall()
    if rows:
        db.execute("SELECT * FROM item WHERE orders = ?", (pick.choice(rows)[0],)).fetchall()


def paged(db, pick):
    db.execute("SELECT id, day FROM orders ORDER BY id LIMIT ? OFFSET ?", (20, 20 * pick.randint(0, 20))).fetchall()


def by_key(db, pick):
    last = 0
    for _ in range(pick.randint(2, 12)):
        rows = db.execute("SELECT id, day FROM orders WHERE id > ? ORDER BY id LIMIT ?", (last, 25)).fetchall()
        last = rows[-1][0]


def found(db, pick):
    db.execute("SELECT id, name FROM product WHERE name LIKE ? LIMIT 10", (f"p{pick.randint(1, 9)}%",)).fetchall()


def by_state(db, pick):
    db.execute("SELECT count(*) FROM orders WHERE state = ? AND id > ?", (pick.randint(0, 2), 580)).fetchone()


def visited(db, pick):
    with db:
        db.execute("UPDATE customer SET visits = visits + 1 WHERE id = ?", (key(pick.randint(1, 200)),))


def imported(db, pick):
    with db:
        db.executemany("INSERT INTO log(text, number) VALUES (?, ?)",
                       [(f"t{pick.random()}", pick.randint(1, 1000)) for _ in range(40)])


def numbered(db, pick):
    with db:
        for i in range(1, 30):
            db.execute("INSERT INTO log(text, number) VALUES (?, ?)", (f"n{pick.random()}", i))


# MARK: - Pages with one

def customer_of_each(db, pick):
    for row in db.execute("SELECT id, customer FROM orders ORDER BY id LIMIT ?", (LISTED,)).fetchall():
        db.execute("SELECT name FROM customer WHERE id = ?", (row[1],)).fetchone()


def with_an_open_cursor(db, pick):
    for row in db.execute("SELECT id, state, customer FROM orders ORDER BY day LIMIT ?", (LISTED,)):
        db.execute("SELECT name FROM customer WHERE id = ?", (row[2],)).fetchone()


def every_second(db, pick):
    for row in db.execute("SELECT id, customer FROM orders ORDER BY id LIMIT ?", (LISTED + 20,)).fetchall()[::2]:
        db.execute("SELECT name, visits FROM customer WHERE id = ?", (row[1],)).fetchone()


def items_and_products(db, pick):
    for row in db.execute("SELECT id FROM orders ORDER BY id LIMIT ?", (LISTED,)).fetchall():
        for item in db.execute("SELECT product, amount FROM item WHERE orders = ?", row).fetchall():
            db.execute("SELECT name FROM product WHERE id = ?", item[:1]).fetchone()


def written_out(db, pick):
    for row in db.execute("SELECT id, day FROM orders LIMIT ?", (LISTED,)).fetchall():
        db.execute(f"SELECT sum(amount) FROM item WHERE orders = {row[0]}").fetchone()


def among_others(db, pick):
    rows = db.execute("SELECT id, customer FROM orders ORDER BY id DESC LIMIT ?", (LISTED,)).fetchall()
    for i in range(20):
        by_state(db, pick)
    for row in rows:
        db.execute("SELECT name FROM customer WHERE id = ?", (row[1],)).fetchone()
        db.execute("SELECT count(*) FROM item WHERE orders = ?", (row[0],)).fetchone()
        visited(db, pick)


def written_for_each(db, pick):
    rows = db.execute("SELECT id, number FROM log ORDER BY id LIMIT ?", (LISTED,)).fetchall() or [(0, 0)]
    with db:
        for row in rows:
            db.execute("DELETE FROM log WHERE id = ?", row[:1])


def by_a_pool(db, pick):
    rows = db.execute("SELECT id, customer FROM orders ORDER BY id LIMIT ?", (LISTED,)).fetchall()

    def name(row):
        own = sqlite3.connect(path)
        try:
            return own.execute("SELECT name FROM customer WHERE id = ?", (row[1],)).fetchone()
        finally:
            own.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(name, rows))


healthy = [joined, with_list, in_chunks, menu_and_product, product_and_category, customer, own_orders, paged, by_key,
           found, by_state, visited, imported, numbered]
loops = [customer_of_each, with_an_open_cursor, every_second, items_and_products, written_out, among_others,
         written_for_each, by_a_pool]

make()
pages = choose.sample(healthy, choose.randint(3, 8))
looping = loops[seed // 2 % len(loops)] if seed % 2 else None
if looping is written_for_each and imported not in pages:
    pages.append(imported)
if looping:
    pages.append(looping)
requests = [page for page in pages for _ in range(choose.randint(3, 12))]
choose.shuffle(requests)
has_menu_at_start = choose.random() < 0.3
if has_menu_at_start:
    start = sqlite3.connect(path)
    start.execute("SELECT id, parent FROM category").fetchall()
keeps_connection = choose.random() < 0.6
threads = choose.choice([1, 1, 3])


def serve(part, number):
    pick = random.Random(seed * 31 + number)
    db = sqlite3.connect(path, timeout=30)
    for page in part:
        if not keeps_connection:
            db.close()
            db = sqlite3.connect(path, timeout=30)
        page(db, pick)
    db.close()


workers = [threading.Thread(target=serve, args=(requests[i::threads], i)) for i in range(threads)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
print("loop", looping.__name__ if looping else "none")
