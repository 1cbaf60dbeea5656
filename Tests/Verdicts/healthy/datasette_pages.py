# SPDX-License-Identifier: Apache-2.0
"""Datasette over 30,000 rows: tables, facets, sorting, text search, filters, rows, JSON, CSV and SQL of its own."""

import os
import random
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

FOLDER, STEP = sys.argv[1:3]
DATABASE, PORT = os.path.join(FOLDER, "trees.db"), 8765 + os.getpid() % 1000
URLS = """/ /trees /trees/tree /trees/tree?_sort=height /trees/tree?_sort_desc=planted /trees/tree?_facet=species_id&_facet=street_id
    /trees/tree?_search=oak /trees/tree?_search=old+lime /trees/tree?species_id=7 /trees/tree?species_id__in=3,4&height__gt=20
    /trees/tree?street_id=12&_sort=height /trees/tree?planted__gte=1990-01-01&_sort_desc=planted /trees/tree/77 /trees/tree/20500
    /trees/species /trees/species/3 /trees/street?_size=20 /trees/tree.json?_shape=array /trees/tree.json?species_id=5&_nocount=1
    /trees/tree.csv?species_id=5&_size=max /trees/tree?_next=200 /trees/tree?_next=400 /-/versions.json /trees/tall
    /trees?sql=select+species.name,+count(*)+from+tree+join+species+on+species.id%3Dspecies_id+group+by+species.name
    /trees?sql=select+*+from+tree+where+id+between+:a+and+:b&a=100&b=180 /trees.json?sql=select+max(height)+from+tree""".split()


def make():
    dice, db = random.Random(1), sqlite3.connect(DATABASE)
    db.executescript("""
        CREATE TABLE species(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE street(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE tree(id INTEGER PRIMARY KEY, species_id INTEGER REFERENCES species(id), street_id INTEGER REFERENCES street(id),
            height REAL, planted TEXT, remark TEXT);
        CREATE INDEX tree_species_height ON tree(species_id, height);
        CREATE INDEX tree_street ON tree(street_id);
        CREATE INDEX tree_height ON tree(height);
        CREATE INDEX tree_planted ON tree(planted);
        CREATE VIEW tall AS SELECT id, height FROM tree WHERE height > 39;
        CREATE VIRTUAL TABLE tree_fts USING fts5(remark, content=tree, content_rowid=id);
    """)
    db.executemany("INSERT INTO species VALUES (?, ?)", [(i, f"Species {i}") for i in range(1, 41)])
    db.executemany("INSERT INTO street VALUES (?, ?)", [(i, f"Street {i}") for i in range(1, 301)])
    db.executemany("INSERT INTO tree VALUES (?, ?, ?, ?, ?, ?)", [
        (i, dice.randint(1, 40), dice.randint(1, 300), round(dice.uniform(2, 40), 1), f"{dice.randint(1950, 2020)}-03-{i % 28 + 1:02}",
         " ".join(dice.choices("old young oak lime ash maple split healthy leaning felled".split(), k=6))) for i in range(1, 30001)])
    db.execute("INSERT INTO tree_fts(tree_fts) VALUES ('rebuild')")
    db.execute("ANALYZE")
    db.commit()


def run():
    command = [os.path.join(os.path.dirname(sys.executable), "datasette"), "serve", DATABASE, "--port", str(PORT)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/-/versions.json").read()
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        for url in URLS:
            assert urllib.request.urlopen(f"http://127.0.0.1:{PORT}{url}").status == 200
    finally:
        server.terminate()
        server.wait()


{"make": make, "run": run}[STEP]()
