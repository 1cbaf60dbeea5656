# SPDX-License-Identifier: Apache-2.0
"""sqlite-utils: imports of CSV and JSON, an index, a text search, an extracted table, upserts, queries."""

import csv
import json
import os
import random
import subprocess
import sys

FOLDER, STEP = sys.argv[1:3]
DATABASE = os.path.join(FOLDER, "shop.db")


def make():
    dice = random.Random(1)
    with open(os.path.join(FOLDER, "orders.csv"), "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "customer", "country", "cents", "note"])
        out.writerows((i, f"customer{dice.randint(1, 4000)}", dice.choice(["DE", "FR", "PL", "IT"]), dice.randint(100, 9999),
                       " ".join(dice.choices("fragile gift express late paid".split(), k=3))) for i in range(1, 40001))
    for name, first in (("new", 39001), ("newer", 40501)):
        with open(os.path.join(FOLDER, name + ".json"), "w") as file:
            json.dump([{"id": i, "customer": "customer1", "countries_id": 1, "cents": 5, "note": "gift"} for i in range(first, first + 2000)],
                      file)


def tool(*arguments):
    subprocess.run([os.path.join(os.path.dirname(sys.executable), "sqlite-utils"), *arguments], check=True, stdout=subprocess.DEVNULL)


def run():
    file = lambda name: os.path.join(FOLDER, name)  # noqa: E731
    tool("insert", DATABASE, "orders", file("orders.csv"), "--csv", "--pk", "id")
    tool("create-index", DATABASE, "orders", "customer")
    tool("extract", DATABASE, "orders", "country", "--table", "countries", "--rename", "country", "name")
    tool("enable-fts", DATABASE, "orders", "note", "--create-triggers")
    tool("search", DATABASE, "orders", "express gift", "--limit", "20")
    for name in ("new", "newer"):
        tool("upsert", DATABASE, "orders", file(name + ".json"), "--pk", "id")
    tool("query", DATABASE, "select * from orders where customer = :c", "-p", "c", "customer77")
    tool("query", DATABASE, "select countries_id, count(*), avg(cents) from orders group by countries_id")
    tool("rows", DATABASE, "orders", "--limit", "50")
    tool("tables", DATABASE, "--counts")
    tool("schema", DATABASE)
    tool("analyze", DATABASE)


{"make": make, "run": run}[STEP]()
