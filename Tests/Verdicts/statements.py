#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records random statements, one by one, and checks each index that summary, plans and advise print for them.

    Tests/Verdicts/statements.py [COUNT] [--seed N] [--only N]

An index must compile, be used, and halve the VM steps of its statement, with the statement's own values, but for those
that say "not measured", which at most one in twenty may; and the three commands print the same one.
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import sqlite3
import sys
import tempfile

from indexes import indexes
from tool import MEMORY, PYTHON, report

WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "islet", "jetty", "knoll", "lagoon"]


def make(path, dice):
    """A database of a shop with some of the indexes that it needs."""
    with sqlite3.connect(path) as db:
        db.executescript("""
            CREATE TABLE maker (id INTEGER PRIMARY KEY, name TEXT, country TEXT, founded INT);
            CREATE TABLE item (id INTEGER PRIMARY KEY, maker_id INT REFERENCES maker, name TEXT, kind TEXT, price REAL,
                stock INT, code TEXT UNIQUE, note TEXT);
            CREATE TABLE sale (id INTEGER PRIMARY KEY, item_id INT REFERENCES item, buyer INT, amount INT, at INT,
                state TEXT);""")
        word = lambda: dice.choice(WORDS)
        db.executemany("INSERT INTO maker VALUES (?,?,?,?)", [
            (n, f"{word()} {word()} {n}", word(), dice.randrange(1900, 2020)) for n in range(dice.randrange(300, 1500))])
        makers = db.execute("SELECT count(*) FROM maker").fetchone()[0]
        db.executemany("INSERT INTO item VALUES (?,?,?,?,?,?,?,?)", [
            (n, dice.randrange(makers), f"{word()} {word()} {dice.randrange(900)}", word(), dice.randrange(50000) / 100,
             dice.randrange(200), f"C{n:06}", word() if dice.random() < 0.1 else None)
            for n in range(dice.randrange(3000, 8000))])
        items = db.execute("SELECT count(*) FROM item").fetchone()[0]
        db.executemany("INSERT INTO sale VALUES (?,?,?,?,?,?)", [
            (n, dice.randrange(items), dice.randrange(2000), dice.randrange(1, 20), 1_600_000_000 + n * 60,
             dice.choices(["paid", "open", "lost"], [90, 9, 1])[0]) for n in range(dice.randrange(5000, 15000))])
        for index in ["item (kind)", "sale (at)", "sale (state)", "maker (country)", "item (maker_id)", "sale (item_id)"]:
            if dice.random() < 0.25:
                db.execute(f"CREATE INDEX existing_{re.sub('[^a-z]+', '_', index)} ON {index}")
        if dice.random() < 0.5:
            db.execute("ANALYZE")


def statement(path, dice):
    """A random statement with its values, some of which are literals."""
    with sqlite3.connect(path) as db:
        values = {}

        def value(table, column):
            rows = values.setdefault((table, column), [row[0] for row in db.execute(
                f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL LIMIT 3000")])
            return dice.choice(rows)

        bound = []

        def operand(given):
            if dice.random() < 0.6:
                bound.append(given)
                return "?"
            return "'" + given + "'" if isinstance(given, str) else str(given)

        columns = {"maker": ["name", "country", "founded"], "item": ["maker_id", "name", "kind", "price", "stock", "code", "note"],
                   "sale": ["item_id", "buyer", "amount", "at", "state"]}

        def term(table, prefix="", column=None):
            column = column or dice.choice(columns[table])
            given, name = value(table, column), prefix + column
            kind = dice.choice(["=", "=", "=", "range", "between", "in", "like", "null", "or", "function"])
            if kind == "range":
                return f"{name} {dice.choice(['<', '>', '<=', '>='])} {operand(given)}"
            if kind == "between":
                low, high = sorted([given, value(table, column)])
                return f"{name} BETWEEN {operand(low)} AND {operand(high)}"
            if kind == "in":
                return f"{name} IN ({', '.join(operand(value(table, column)) for _ in range(dice.randrange(2, 5)))})"
            if kind == "like" and isinstance(given, str):
                return f"{name} LIKE {operand(given[:3] + '%')}"
            if kind == "null" and column == "note":
                return f"{name} IS NOT NULL"
            if kind == "or":
                other = dice.choice([c for c in columns[table] if c != column])
                return f"({name} = {operand(given)} OR {prefix}{other} = {operand(value(table, other))})"
            if kind == "function" and isinstance(given, str):
                return f"upper({name}) = {operand(given.upper())}"
            return f"{name} = {operand(given)}"

        def where(table, prefix="", most=3):
            chosen = dice.sample(columns[table], dice.randrange(1, most + 1))
            return " AND ".join(term(table, prefix, column) for column in chosen)

        table = dice.choice(["item", "sale", "sale", "item", "maker"])
        some = lambda t, p="": ", ".join(p + c for c in dice.sample(columns[t], dice.randrange(1, 4)))
        shape = dice.choice(["rows", "rows", "rows", "sorted", "sorted", "count", "sum", "group", "max", "join", "join",
                             "left join", "exists", "not exists", "scalar", "in", "distinct", "union", "update", "delete"])
        if shape == "rows":
            sql = f"SELECT {dice.choice(['*', some(table)])} FROM {table} WHERE {where(table)}"
        elif shape == "sorted":
            filter = f" WHERE {where(table, most=2)}" if dice.random() < 0.7 else ""
            order = ", ".join(c + dice.choice(["", "", " DESC"]) for c in dice.sample(columns[table], dice.randrange(1, 3)))
            sql = f"SELECT id, {some(table)} FROM {table}{filter} ORDER BY {order} LIMIT {dice.choice([1, 10, 50])}"
        elif shape in ("count", "sum", "max"):
            what = {"count": "count(*)", "sum": "sum(id)", "max": f"max({dice.choice(columns[table])})"}[shape]
            sql = f"SELECT {what} FROM {table} WHERE {where(table)}"
        elif shape == "group":
            column = dice.choice(columns[table])
            sql = f"SELECT {column}, count(*) FROM {table} WHERE {where(table)} GROUP BY {column}"
        elif shape in ("join", "left join"):
            join = "LEFT JOIN" if shape == "left join" else "JOIN"
            sql = (f"SELECT {some('item', 'i.')}, s.amount FROM item i {join} sale s ON s.item_id = i.id "
                   f"WHERE {where('item', 'i.', 2)}" + (f" AND {term('sale', 's.')}" if dice.random() < 0.3 else ""))
        elif shape in ("exists", "not exists"):
            sql = (f"SELECT m.name FROM maker m WHERE {shape.upper()} (SELECT 1 FROM item i WHERE i.maker_id = m.id "
                   f"AND {term('item', 'i.')})")
        elif shape == "scalar":
            sql = (f"SELECT m.id, (SELECT max(i.price) FROM item i WHERE i.maker_id = m.id) FROM maker m "
                   f"WHERE {where('maker', 'm.', 1)}")
        elif shape == "in":
            sql = f"SELECT {some('item')} FROM item WHERE id IN (SELECT item_id FROM sale WHERE {where('sale', most=2)})"
        elif shape == "distinct":
            sql = f"SELECT DISTINCT {dice.choice(columns[table])} FROM {table} WHERE {where(table, most=2)}"
        elif shape == "union":
            sql = f"SELECT id FROM {table} WHERE {term(table)} UNION ALL SELECT id FROM {table} WHERE {term(table)}"
        elif shape == "update":
            sql = f"UPDATE {table} SET {columns[table][-1]} = NULL WHERE {where(table, most=2)}"
        else:
            sql = f"DELETE FROM sale WHERE {where('sale', most=2)}"
        return sql, bound


PROGRAM = """import json, sqlite3, sys
path, sql, values, times = json.loads(sys.argv[1])
db = sqlite3.connect(path, isolation_level=None)
for _ in range(times):
    db.execute("BEGIN")
    list(db.execute(sql, values))
    db.execute("ROLLBACK")
"""


def steps(path, sql, values, created=()):
    """The VM steps of a run with some indexes, and the names of the indexes that its plan uses."""
    with sqlite3.connect(":memory:") as db:
        with sqlite3.connect(path) as source:
            source.backup(db)
        for index in created:
            db.execute(index)
        plan = "\n".join(row[3] for row in db.execute("EXPLAIN QUERY PLAN " + sql, values))
        count = 0

        def step():
            nonlocal count
            count += 1
        db.set_progress_handler(step, 1)
        list(db.execute(sql, values))
        db.set_progress_handler(None, 1)
        return count, plan


def check(seed, scratch):
    """Returns the numbers of indexes and of those that were not measured, and lines about what is wrong."""
    dice = random.Random(seed)
    folder = os.path.join(scratch, str(seed))
    os.mkdir(folder)
    path, trace = os.path.join(folder, "shop.db"), os.path.join(folder, "trace")
    make(path, dice)
    sql, values = statement(path, dice)
    report("record", "--log", "-o", trace, "--", PYTHON, "-c", PROGRAM,
           json.dumps([path, sql, values, dice.randrange(1, 4)]))
    summary = json.loads(report("summary", trace, "--json").stdout)
    plans = report("plans", trace, "--database", path).stdout
    judged = json.loads(report("plans", trace, "--database", path, "--json").stdout)
    advise = report("advise", trace, "--database", path).stdout
    findings = [f for f in summary["findings"] if f["severity"] == "warning"]
    named = {index: finding for finding in findings for index in indexes(finding["fix"])}
    sets = {"summary": set(named), "plans": {index for each in judged["statements"] for index in each["indexes"]},
            "advise": indexes(advise.split("Tried and not advised")[0])}
    wrong = []
    # What advise cannot measure is an estimate in the others.
    estimated = any(finding.get("trial") is None for finding in named.values())
    if findings and not (estimated and not sets["advise"]) and len(set(map(frozenset, sets.values()))) > 1:
        wrong.append("; ".join(f"{command}: {', '.join(sorted(each)) or 'none'}" for command, each in sets.items()))
    unmeasured = 0
    before, _ = steps(path, sql, values)
    for command, each in sets.items():
        if not each:
            continue
        if command == "summary" and estimated or command == "plans" and "not measured" in plans:
            unmeasured += len(each)
            continue
        try:
            after, plan = steps(path, sql, values, each)
        except sqlite3.Error as error:
            wrong.append(f"{command}: {error}: {each}")
            continue
        unused = [index for index in each if index.split()[2] not in plan]
        if unused and command != "plans":
            wrong.append(f"{command}: not used: {', '.join(unused)}")
        if after > before / 2:
            wrong.append(f"{command}: {before:,} -> {after:,} steps with {', '.join(sorted(each))}")
    shutil.rmtree(folder)
    return len(set().union(*sets.values())), unmeasured, [f"{seed}: {line}\n    {sql}  {values}" for line in wrong]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("count", nargs="?", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    chosen = arguments.parse_args()
    scratch = tempfile.mkdtemp(prefix="statements.", dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
    count = unmeasured = failed = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
            seeds = [chosen.seed * 1000 + number for number in range(chosen.count)]
            for number, without, wrong in pool.map(lambda seed: check(seed, scratch), seeds):
                count, unmeasured, failed = count + number, unmeasured + without, failed + bool(wrong)
                print("\n".join(wrong), end="\n" if wrong else "", flush=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{chosen.count} statements (seed {chosen.seed}): {count} indexes, {unmeasured} not measured, {failed} wrong")
    return 1 if failed or not count or unmeasured > count / 20 else 0


if __name__ == "__main__":
    sys.exit(main())
