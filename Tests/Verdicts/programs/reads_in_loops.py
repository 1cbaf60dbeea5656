# SPDX-License-Identifier: Apache-2.0
"""A statement for each row of a list, and programs that look like it."""

import json
import os
import queue
import random
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from labels import connect, near_miss, warns, words


def clinic(folder):
    db = connect(folder)
    db.executescript("""
        CREATE TABLE vet(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
        CREATE TABLE animal(id INTEGER PRIMARY KEY, chip TEXT UNIQUE, vet_id INT REFERENCES vet(id), kind TEXT);
        CREATE TABLE visit(id INTEGER PRIMARY KEY, animal_id INT REFERENCES animal(id), day TEXT, fee INT);
        CREATE INDEX visit_of_animal ON visit(animal_id);
        CREATE INDEX animal_of_vet ON animal(vet_id);
        CREATE TABLE room(id INTEGER PRIMARY KEY, parent_id INT, name TEXT);
        CREATE INDEX room_parent ON room(parent_id);
    """)
    dice = random.Random(2)
    names = words(400)
    db.executemany("INSERT INTO vet VALUES (?,?,?)", [(1000 + 7 * i, names[i], names[-i]) for i in range(60)])
    db.executemany("INSERT INTO animal VALUES (?,?,?,?)", [
        (5000 + 3 * i, f"{names[i]}-{i}", 1000 + 7 * dice.randrange(60), "cat" if i % 2 else "dog") for i in range(300)])
    db.executemany("INSERT INTO visit VALUES (?,?,?,?)", [
        (20000 + i, 5000 + 3 * dice.randrange(300), f"2024-{i % 12 + 1:02}-01", dice.randrange(90)) for i in range(900)])
    db.execute("INSERT INTO room VALUES (700, NULL, 'house')")
    db.executemany("INSERT INTO room VALUES (?,?,?)", [(701 + i, 700 + i // 3, names[i]) for i in range(60)])
    db.commit()
    with connect(folder, "history.db") as history:
        history.execute("CREATE TABLE scan(animal_id INTEGER PRIMARY KEY, at TEXT)")
        history.executemany("INSERT INTO scan VALUES (?,?)", [(5000 + 3 * i, "2023") for i in range(300)])


@warns("AvoidQueryInLoop", setup=clinic)
def generator_with_helper(folder):
    db = connect(folder)

    def all_rows(sql, *values):
        return db.execute(sql, values).fetchall()

    def reports():
        for number, name in all_rows("SELECT id, name FROM vet ORDER BY name"):
            yield name, all_rows("SELECT chip, kind FROM animal WHERE vet_id = ?", number)

    print(sum(len(animals) for _, animals in reports()))


@warns("AvoidQueryInLoop", setup=clinic)
def pool_of_threads(folder):
    db = connect(folder)
    animals = [row[0] for row in db.execute("SELECT id FROM animal WHERE kind = 'cat' LIMIT 80")]

    def last_visit(animal):
        own = connect(folder)
        try:
            return own.execute("SELECT max(day) FROM visit WHERE animal_id = ?", (animal,)).fetchone()  # HERE
        finally:
            own.close()

    with ThreadPoolExecutor(3) as pool:
        print(len(list(pool.map(last_visit, animals))))


@warns("AvoidQueryInLoop", setup=clinic)
def attached_history(folder):
    db = connect(folder)
    db.execute("ATTACH ? AS history", (folder + "/history.db",))
    for number, chip in db.execute("SELECT id, chip FROM animal WHERE vet_id < 1100").fetchall():
        found = db.execute("SELECT at FROM history.scan WHERE animal_id = ?", (number,)).fetchone()  # HERE
        print(chip, found)


@warns("AvoidQueryInLoop", setup=clinic)
def second_database(folder):
    db, history = connect(folder), connect(folder, "history.db")
    for number, chip in db.execute("SELECT id, chip FROM animal WHERE vet_id < 1100"):
        print(chip, history.execute("SELECT at FROM scan WHERE animal_id = ?", (number,)).fetchone())  # HERE


@warns("AvoidQueryInLoop", setup=clinic)
def identity_map(folder):
    db = connect(folder)
    loaded = {}

    class Animal:
        def __init__(self, row):
            self.number, self.chip, self.vet_id = row

        @property
        def vet(self):
            if self.vet_id not in loaded:
                loaded[self.vet_id] = db.execute(  # HERE
                    'SELECT "vet"."id", "vet"."name", "vet"."city" FROM "vet" WHERE "vet"."id" = ? LIMIT 21',
                    (self.vet_id,)).fetchone()
            return loaded[self.vet_id]

    rows = db.execute('SELECT "animal"."id", "animal"."chip", "animal"."vet_id" FROM "animal" LIMIT 60').fetchall()
    for animal in map(Animal, rows):
        print(animal.chip, animal.vet[1])


@warns("AvoidQueryInLoop", setup=clinic)
def tree_by_recursion(folder):
    db = connect(folder)

    def show(room, depth):
        for child, name in db.execute("SELECT id, name FROM room WHERE parent_id = ?", (room,)).fetchall():  # HERE
            print("  " * depth + name)
            show(child, depth + 1)

    show(700, 0)


@warns("AvoidQueryInLoop", setup=clinic)
def text_keys_of_dictionaries(folder):
    db = connect(folder)
    db.row_factory = lambda cursor, row: {column[0]: value for column, value in zip(cursor.description, row)}
    chips = db.execute("SELECT chip FROM animal WHERE kind = ? ORDER BY chip", ("dog",)).fetchall()
    owners = [db.execute("SELECT v.name FROM animal a JOIN vet v ON v.id = a.vet_id WHERE a.chip = :chip", chip).fetchone()
              for chip in chips]
    print(len(owners))


@warns("AvoidQueryInLoop", setup=clinic)
def pages_of_a_cursor(folder):
    db = connect(folder)
    db.row_factory = sqlite3.Row
    cursor = db.execute("SELECT id, vet_id FROM animal ORDER BY id")
    total = 0
    while page := cursor.fetchmany(25):
        for animal in page:
            fees = db.execute("SELECT sum(fee) AS fees FROM visit WHERE animal_id = ?", (animal["id"],)).fetchone()  # HERE
            total += fees["fees"] or 0
    print(total)


@warns("AvoidQueryInLoop", setup=clinic)
def some_rows_only(folder):
    db = connect(folder)
    for number, kind in db.execute("SELECT id, kind FROM animal ORDER BY id LIMIT 90").fetchall():
        if kind == "cat":
            days = db.execute("SELECT day FROM visit WHERE animal_id = ? ORDER BY day", (number,)).fetchall()  # HERE
            print(number, len(days))


@warns("AvoidQueryInLoop", setup=clinic)
def two_levels(folder):
    db = connect(folder)
    for vet, name in db.execute("SELECT id, name FROM vet LIMIT 20").fetchall():
        animals = db.execute("SELECT id, chip FROM animal WHERE vet_id = ?", (vet,)).fetchall()
        for animal, chip in animals:
            visits = db.execute("SELECT count(*) FROM visit WHERE animal_id = ?", (animal,)).fetchone()
            print(name, chip, visits[0])


@warns("AvoidQueryInLoop", setup=clinic)
def exists_before_insert(folder):
    db = connect(folder)
    db.execute("CREATE TABLE passport(chip TEXT PRIMARY KEY, animal_id INT)")
    db.execute("INSERT INTO passport SELECT chip, id FROM animal WHERE id % 2")
    rows = db.execute("SELECT chip, id FROM animal").fetchall()
    for chip, number in rows:
        if not db.execute("SELECT 1 FROM passport WHERE chip = ?", (chip,)).fetchone():  # HERE
            db.execute("INSERT INTO passport VALUES (?, ?)", (chip, number))
    db.commit()


# MARK: - Near misses


@near_miss("AvoidQueryInLoop", setup=clinic)
def lists_of_forty(folder):
    db = connect(folder)
    numbers = [row[0] for row in db.execute("SELECT id FROM animal ORDER BY id")]
    total = 0
    for start in range(0, len(numbers), 20):
        part = numbers[start:start + 20]
        marks = ",".join("?" * len(part))
        total += db.execute(f"SELECT sum(fee) FROM visit WHERE animal_id IN ({marks})", part).fetchone()[0] or 0
    print(total)


@near_miss("AvoidQueryInLoop", setup=clinic)
def one_of_each_list(folder):
    dice = random.Random(8)
    for _ in range(25):
        db = connect(folder)
        vet = 1000 + 7 * dice.randrange(60)
        animals = db.execute("SELECT id, chip FROM animal WHERE vet_id = ? ORDER BY chip LIMIT 20", (vet,)).fetchall()
        if animals:
            print(db.execute("SELECT day, fee FROM visit WHERE animal_id = ?", (dice.choice(animals)[0],)).fetchall())
        db.close()


@near_miss("AvoidQueryInLoop", setup=clinic)
def menu_of_six(folder):
    db = connect(folder)
    for (vet,) in db.execute("SELECT id FROM vet ORDER BY name LIMIT 6").fetchall():
        print(db.execute("SELECT count(*) FROM animal WHERE vet_id = ?", (vet,)).fetchone())


@near_miss("AvoidQueryInLoop", setup=clinic)
def pages_by_key(folder):
    db = connect(folder)
    last, pages = 0, 0
    while rows := db.execute("SELECT id, day, fee FROM visit WHERE id > ? ORDER BY id LIMIT 40", (last,)).fetchall():
        last, pages = rows[-1][0], pages + 1
    print(pages)


@near_miss("AvoidQueryInLoop", setup=clinic)
def prefetch_with_json(folder):
    db = connect(folder)
    animals = db.execute("SELECT id, vet_id FROM animal WHERE kind = 'cat'").fetchall()
    vets = dict(db.execute("SELECT id, name FROM vet WHERE id IN (SELECT value FROM json_each(?))",
                           (json.dumps(sorted({vet for _, vet in animals})),)))
    for number, vet in animals:
        print(number, vets[vet])


@near_miss("AvoidQueryInLoop", setup=clinic)
def tree_with_a_common_table(folder):
    db = connect(folder)
    for depth, name in db.execute("""
            WITH RECURSIVE below(id, name, depth) AS (
                SELECT id, name, 0 FROM room WHERE parent_id IS NULL
                UNION ALL
                SELECT room.id, room.name, below.depth + 1 FROM below JOIN room ON room.parent_id = below.id)
            SELECT depth, name FROM below"""):
        print("  " * depth + name)


@near_miss("AvoidQueryInLoop", setup=clinic)
def cached_parents(folder):
    db = connect(folder)

    @lru_cache
    def label_of(kind):
        return db.execute("SELECT count(*) FROM animal WHERE kind = ?", (kind,)).fetchone()[0]

    for number, kind in db.execute("SELECT id, kind FROM animal ORDER BY id").fetchall():
        print(number, label_of(kind))


@near_miss("AvoidQueryInLoop", setup=clinic)
def refresh_after_insert(folder):
    db = connect(folder)
    for day in range(15):
        cursor = db.execute("INSERT INTO visit(animal_id, day, fee) VALUES (?, ?, 10) RETURNING id",
                            (5003, f"2025-01-{day + 1:02}"))
        (number,) = cursor.fetchone()
        print(db.execute("SELECT id, animal_id, day, fee FROM visit WHERE id = ?", (number,)).fetchone())
    db.commit()


@near_miss("AvoidQueryInLoop", setup=clinic)
def visitors_at_a_counter(folder):
    db = connect(folder)
    dice = random.Random(5)
    names = words(400)
    for number in dice.sample(range(300), 40):
        chip = f"{names[number]}-{number}"
        animal = db.execute("SELECT id, vet_id FROM animal WHERE chip = ?", (chip,)).fetchone()
        if animal:
            print(db.execute("SELECT name FROM vet WHERE id = ?", (animal[1],)).fetchone())
            print(db.execute("SELECT day FROM visit WHERE animal_id = ? LIMIT 3", (animal[0],)).fetchall())


@near_miss("AvoidQueryInLoop", setup=clinic)
def tables_of_the_schema(folder):
    db = connect(folder)
    for number in range(12):
        db.execute(f"CREATE TABLE extra_{number}(a, b)")
    for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall():
        columns = [row[1] for row in db.execute(f"SELECT * FROM pragma_table_info('{name}')")]
        print(name, columns)


@near_miss("AvoidQueryInLoop", setup=clinic)
def keys_of_each_tick(folder):
    """The batches of a data loader; some have one key."""
    db = connect(folder)
    dice = random.Random(9)

    def load(columns, table, keys):
        marks = ",".join("?" * len(keys))
        return db.execute(f"SELECT {columns} FROM {table} WHERE id IN ({marks})", sorted(keys)).fetchall()

    for size in (1, 3, 1, 8, 2, 1, 5, 1, 4, 1, 1, 6, 1, 2, 1, 7):
        animals = load("id, vet_id", "animal", {5000 + 3 * dice.randrange(300) for _ in range(size)})
        print(load("id, name", "vet", {vet for _, vet in animals}))


@near_miss("AvoidQueryInLoop", setup=clinic)
def tree_level_by_level(folder):
    """Some levels have one row."""
    db = connect(folder)
    db.execute("DELETE FROM room")
    db.executemany("INSERT INTO room VALUES (?,?,?)", [(700, None, "house")] + [
        (800 + 3 * level + room, 797 + 3 * level if level else 700, "room") for level in range(14)
        for room in range(level % 3 + 1)])
    db.commit()
    level, depth = [700], 0
    while level:
        marks = ",".join("?" * len(level))
        level = [row[0] for row in db.execute(f"SELECT id FROM room WHERE parent_id IN ({marks})", level)]
        depth += 1
    print(depth)


@near_miss("AvoidQueryInLoop", setup=clinic)
def rows_that_a_user_opens(folder):
    """A shell on a pipe: the list, and then some of its rows, each by a command of its own."""
    db = connect(folder)
    answers, (reading, writing) = queue.Queue(), os.pipe()
    os.dup2(reading, 0)

    def use():
        os.write(writing, b"list\n")
        for number in answers.get()[:14]:
            os.write(writing, b"%d\n" % number)
            answers.get()
        os.close(writing)

    os.close(reading)
    threading.Thread(target=use).start()
    for command in open(0):
        if command == "list\n":
            answers.put([row[0] for row in db.execute("SELECT id FROM animal ORDER BY chip LIMIT 20")])
        else:
            answers.put(db.execute("SELECT chip FROM animal WHERE id = ?", (int(command),)).fetchone())


@near_miss("AvoidQueryInLoop", setup=clinic)
def path_to_the_root(folder):
    db = connect(folder)
    for room in (750, 733):
        path = []
        while room:
            name, room = db.execute("SELECT name, parent_id FROM room WHERE id = ?", (room,)).fetchone()
            path.append(name)
        print(" / ".join(reversed(path)))
