#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records programs whose cause is known, and compares what summary, plans and advise say of it with the right words.

    Tests/Verdicts/situations.py [NAME...]

Each command must name the same cause, or the same index; a text in `never` is in none of them. TRACE_REPORT and
STORESCOPE_PROBE replace .build/debug/trace-report and the probe of .build/probe.
"""

import os
import subprocess
import sys
import tempfile

from tool import PYTHON, report

SETUP = "import random, sqlite3\nrandom.seed(3)\ndb = sqlite3.connect('app.db')\n"
PROGRAM = "import os, signal, sqlite3, subprocess, sys, time\ndb = sqlite3.connect('app.db', timeout=5)\n"

# The schema and rows; the program; the texts of each command; the texts that no command prints.
SITUATIONS = {
    "a LIKE behind two columns of a key": ("""
db.execute("CREATE TABLE page(site TEXT, language TEXT, slug TEXT, title TEXT, PRIMARY KEY(site, language, slug))")
db.executemany("INSERT INTO page VALUES ('a', 'en', ?, 't')", ((f"{i * 7919 % 1000003:07}-x",) for i in range(60000)))
""", """
for i in range(5): db.execute("SELECT title FROM page WHERE site = ? AND language = ? AND slug LIKE ?", ("a", "en", f"00{i}1%")).fetchall()
""", {
        "summary": ["AvoidCostlySearch", "compares with case, and LIKE ignores it", "slug GLOB ?"],
        "plans": ["COSTLY SEARCH", "compares with case, and LIKE ignores it", "slug GLOB ?"],
        "advise": ["slug GLOB ?"]}, []),

    "a LIKE with a bound pattern": ("""
db.executescript("CREATE TABLE contact(id INTEGER PRIMARY KEY, name TEXT, mail TEXT); CREATE INDEX contact_name ON contact(name)")
db.executemany("INSERT INTO contact(name, mail) VALUES (?, 'm')", ((f"Name {i * 7919 % 20011:05}",) for i in range(20000)))
""", r"""
for i in range(20): db.execute("SELECT id, mail FROM contact WHERE name LIKE ? ESCAPE '\\' LIMIT 5", (f"name 19{i % 10}%",)).fetchall()
""", {command: ["ON contact (name COLLATE NOCASE)"] for command in ("summary", "plans", "advise")}, ["DROP INDEX"]),

    "a join of two affinities": ("""
db.executescript('''CREATE TABLE client(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE bill(id INTEGER PRIMARY KEY, client, sum INTEGER);
CREATE INDEX bill_client ON bill(client);
CREATE VIEW client_bill AS SELECT client.id AS client_id, bill.id, bill.sum FROM client JOIN bill ON client.id = bill.client''')
db.executemany("INSERT INTO client(name) VALUES (?)", ((f"c{i}",) for i in range(1000)))
db.executemany("INSERT INTO bill(client, sum) VALUES (?, 1)", ((1 + i % 1000,) for i in range(30000)))
""", """
for i in range(20): db.execute("SELECT * FROM client_bill WHERE client_id = ?", (i + 1,)).fetchall()
""", {
        "summary": ["AvoidFullTableScan", "'bill_client' cannot serve", "declared without a type"],
        "plans": ["'bill_client' cannot serve", "declared without a type"],
        "advise": ["'bill_client' cannot serve"]}, ["DROP INDEX"]),

    "a function around a date": ("""
db.execute("CREATE TABLE visit(id INTEGER PRIMARY KEY, at TEXT, page TEXT, agent TEXT)")
db.executemany("INSERT INTO visit(at, page) VALUES (datetime(?, 'unixepoch'), ?)", ((1700000000 + i * 60, f"p{i % 50}") for i in range(60000)))
""", """
for i in range(10): db.execute("SELECT page, count(*) FROM visit WHERE date(at) = date(?) AND agent IS NULL GROUP BY page", (f"2023-11-{15 + i}",)).fetchall()
""", {
        "summary": ["AvoidFullTableScan", "ON visit (date(at))"], "plans": ["FULL SCAN", "ON visit (date(at))"],
        "advise": ["CREATE INDEX visit_date_at ON visit (date(at))"]}, []),

    "a transaction for each row": ("""
db.execute("CREATE TABLE reading(id INTEGER PRIMARY KEY, sensor INTEGER, value REAL)")
""", """
for i in range(300):
    with db: db.execute("INSERT INTO reading(sensor, value) VALUES (?, ?)", (i % 7, i))
""", {
        "summary": ["GroupWrites", "300 transactions", "app.py:5", "begin one transaction before the loop"],
        "plans": ["INSERT INTO reading"], "advise": ["the statements that write insert values"]}, []),

    "filters that may be NULL": ("""
db.executescript('''CREATE TABLE cost(id INTEGER PRIMARY KEY, project INTEGER, kind INTEGER, sum INTEGER);
CREATE INDEX cost_project ON cost(project); CREATE INDEX cost_kind ON cost(kind)''')
db.executemany("INSERT INTO cost(project, kind, sum) VALUES (?, ?, 1)", ((i % 500, i % 300) for i in range(50000)))
""", """
for i in range(20):
    db.execute("SELECT id, sum FROM cost WHERE (:project IS NULL OR project = :project) AND (:kind IS NULL OR kind = :kind)", {"project": i, "kind": None}).fetchall()
""", {command: ["'cost_project' cannot serve", "leave the term out"] for command in ("summary", "plans", "advise")},
     ["DROP INDEX", "ANALYZE once"]),

    "a bound JSON path": ("""
db.execute("CREATE TABLE entry(id INTEGER PRIMARY KEY, body TEXT)")
db.executemany("INSERT INTO entry(body) VALUES (?)", ((f'{{"room": {i % 400}, "text": "t"}}',) for i in range(20000)))
db.execute("CREATE INDEX entry_room ON entry(json_extract(body, '$.room'))")
""", """
for i in range(20): db.execute("SELECT id FROM entry WHERE json_extract(body, ?) = ?", ("$.room", i)).fetchall()
""", {command: ["'entry_room' is on an expression with a literal", "json_extract(body, '$.room') = ?"]
      for command in ("summary", "plans", "advise")}, ["DROP INDEX"]),

    "a sort by CASE": ("""
db.execute("CREATE TABLE job(id INTEGER PRIMARY KEY, state TEXT, name TEXT)")
db.executemany("INSERT INTO job(state, name) VALUES (?, 'n')", ((("done", "ready", "active")[i % 3],) for i in range(15000)))
""", """
for i in range(10): db.execute("SELECT id, name FROM job ORDER BY CASE state WHEN 'active' THEN 0 WHEN 'ready' THEN 1 ELSE 2 END, id DESC LIMIT 10").fetchall()
""", {command: ["ON job (CASE state WHEN 'active' THEN 0 WHEN 'ready' THEN 1 ELSE 2 END, id DESC)"]
      for command in ("summary", "plans", "advise")}, []),

    "a sort behind a search": ("""
db.executescript('''CREATE TABLE song(id INTEGER PRIMARY KEY, hidden INTEGER, added INTEGER, title TEXT);
CREATE INDEX song_hidden ON song(hidden); CREATE INDEX song_added ON song(added)''')
db.executemany("INSERT INTO song(hidden, added, title) VALUES (?, ?, 't')", ((i % 500 == 0, i * 7919 % 1000003) for i in range(40000)))
""", """
for i in range(10): db.execute("SELECT * FROM song WHERE hidden = ? ORDER BY added DESC LIMIT ?", (0, 50 + i)).fetchall()
""", {
        "summary": ["UseIndexForSort", "CREATE INDEX song_hidden_added ON song (hidden, added)"],
        "plans": ["CREATE INDEX song_hidden_added ON song (hidden, added)"],
        "advise": ["CREATE INDEX song_hidden_added ON song (hidden, added)"]}, ["DROP INDEX song_added"]),

    "a text search in the inner loop": ("""
db.executescript('''CREATE TABLE memo(id INTEGER PRIMARY KEY, team INTEGER, body TEXT); CREATE INDEX memo_team ON memo(team);
CREATE VIRTUAL TABLE memo_text USING fts5(body)''')
for i in range(2000):
    db.execute("INSERT INTO memo VALUES (?, ?, 'b')", (i, i % 3))
    db.execute("INSERT INTO memo_text(rowid, body) VALUES (?, ?)", (i, f"word{i % 90} common text"))
""", """
for i in range(3):
    db.execute("SELECT m.id FROM memo m CROSS JOIN memo_text t ON m.id = t.rowid WHERE t.body MATCH ? AND m.team = ? ORDER BY rank LIMIT 5", ("common", 1)).fetchall()
""", {command: ["the text search in 'memo_text' runs once for each row of 'm'", "FROM memo_text t CROSS JOIN memo m"]
      for command in ("summary", "plans", "advise")}, ["harmless scan"]),

    "a trigger that reads a text table": ("""
db.executescript('''CREATE TABLE sheet(id TEXT PRIMARY KEY, tags TEXT, at INTEGER); CREATE VIRTUAL TABLE sheet_text USING fts5(id UNINDEXED, tags);
CREATE TRIGGER sheet_tags AFTER UPDATE ON sheet BEGIN UPDATE sheet_text SET tags = NEW.tags WHERE id = NEW.id; END''')
for i in range(5000):
    db.execute("INSERT INTO sheet VALUES (?, 'a', 0)", (f"s{i}",))
    db.execute("INSERT INTO sheet_text VALUES (?, 'a')", (f"s{i}",))
""", """
for i in range(20): db.execute("INSERT INTO sheet VALUES (?, 'b', 1) ON CONFLICT(id) DO UPDATE SET tags = excluded.tags", (f"s{i}",))
db.commit()
""", {
        "summary": ["AvoidCostlySearch", "the trigger 'sheet_tags' reads all of 'sheet_text'", "rowid"],
        "plans": ["the trigger 'sheet_tags' reads every row of 'sheet_text'"], "advise": []}, []),

    "an update while a SELECT is open": ("""
db.executescript("PRAGMA journal_mode = WAL; CREATE TABLE part(id INTEGER PRIMARY KEY, count INTEGER)")
db.executemany("INSERT INTO part(count) VALUES (?)", ((i,) for i in range(500)))
""", """
db.isolation_level = None
other = sqlite3.connect('app.db')
for row in db.execute("SELECT id FROM part"):
    if row[0] in (3, 5, 7):
        with other: other.execute("UPDATE part SET count = 0 WHERE id = 400")
        try: db.execute("UPDATE part SET count = 1 WHERE id = ?", row)
        except sqlite3.OperationalError: pass
""", {
        "summary": ["ResetStatement", "app.py:6 of the same connection was still open", "a busy timeout has no effect"],
        "plans": ["UPDATE part"], "advise": []}, ["SetBusyTimeout"]),

    "a table that is locked": ("""
db.execute("CREATE TABLE draft(text TEXT)")
db.executemany("INSERT INTO draft VALUES (?)", ((f"t{i}",) for i in range(100)))
""", """
cursor = db.execute("SELECT text FROM draft ORDER BY rowid DESC")
cursor.fetchone()
try: db.execute("DROP TABLE draft")
except sqlite3.OperationalError: pass
""", {
        "summary": ["ResetStatement", "SQLITE_LOCKED", "the SELECT at app.py:4 of the same connection was still open"],
        "plans": ["SELECT text"], "advise": []}, []),

    "a reader that never ends": ("""
db.executescript("PRAGMA journal_mode = WAL; CREATE TABLE line(text TEXT)")
db.executemany("INSERT INTO line VALUES (?)", (("x" * 500,) for _ in range(3000)))
""", """
if len(sys.argv) > 1:
    rows = db.execute("SELECT text FROM line")
    rows.fetchone()
    print("reading", flush=True)
    time.sleep(60)
reader = subprocess.Popen([sys.executable, "app.py", "reader"], stdout=subprocess.PIPE)
reader.stdout.readline()
for i in range(3000):
    with db: db.execute("INSERT INTO line VALUES (?)", ("y" * 3000,))
reader.send_signal(signal.SIGTERM)
reader.wait()
""", {
        "summary": ["AvoidCheckpointStall", "end the read at app.py:5", "EndReadTransaction"],
        "plans": ["MAY SCAN", "app.py:5: not ended"], "advise": []}, []),

    "a count of wide rows": ("""
db.execute("CREATE TABLE image(id INTEGER PRIMARY KEY, kind INTEGER, data BLOB)")
db.executemany("INSERT INTO image(kind, data) VALUES (?, zeroblob(900))", ((i % 3,) for i in range(20000)))
""", """
for i in range(10): db.execute("SELECT COUNT(*) FROM image").fetchone()
""", {command: ["CREATE INDEX image_kind ON image (kind)"] for command in ("summary", "plans", "advise")},
     ["without reading them"]),

    "too many variables": ("""
db.execute("CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT)")
db.executemany("INSERT INTO word(text) VALUES (?)", ((f"w{i}",) for i in range(2000)))
""", """
for count in [*range(200, 240), 300000]:
    try: db.execute(f"SELECT id FROM word WHERE id IN ({','.join('?' * count)})", range(count)).fetchall()
    except sqlite3.OperationalError: pass
""", {
        "summary": ["RespectLimits", "too many SQL variables: it has 300,000 parameters", "json_each(?)"],
        "plans": ["its text was cut after"], "advise": ["1 statement measured"]}, ["incomplete input"]),

    "a partial index and bound values": ("""
db.execute("CREATE TABLE task(id INTEGER PRIMARY KEY, state TEXT, due INTEGER, text TEXT)")
db.executemany("INSERT INTO task(state, due, text) VALUES (?, ?, 't')", (("open" if i % 400 == 0 else "closed", i) for i in range(40000)))
db.execute("CREATE INDEX task_open ON task(due) WHERE state = 'open'")
""", """
for i in range(20): db.execute("SELECT id, text FROM task WHERE state IN (?, ?) AND due < ? ORDER BY due LIMIT 10", ("open", "late", 30000 + i)).fetchall()
""", {command: ["CREATE INDEX task_state_due ON task (state, due)"] for command in ("summary", "plans", "advise")}, []),

    "foreign keys without indexes": ("""
db.executescript('''CREATE TABLE topic(id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE post(id INTEGER PRIMARY KEY, topic INTEGER REFERENCES topic(id)); CREATE TABLE pin(id INTEGER PRIMARY KEY, topic INTEGER REFERENCES topic(id))''')
db.executemany("INSERT INTO topic(text) VALUES (?)", (("t",) for _ in range(3000)))
db.executemany("INSERT INTO post(topic) VALUES (?)", ((1 + i % 1000,) for i in range(6000)))
db.executemany("INSERT INTO pin(topic) VALUES (?)", ((1 + i % 1000,) for i in range(4000)))
""", """
db.execute("PRAGMA foreign_keys = ON")
for i in range(100): db.execute("DELETE FROM topic WHERE id = ?", (2000 + i,))
db.commit()
""", {command: ["CREATE INDEX post_topic ON post (topic)", "CREATE INDEX pin_topic ON pin (topic)"]
      for command in ("summary", "plans", "advise")}, ["No new index is worth having"]),

    "REPLACE of a parent": ("""
db.executescript('''CREATE TABLE folder(id INTEGER PRIMARY KEY, path TEXT UNIQUE, at INTEGER);
CREATE TABLE item(id INTEGER PRIMARY KEY, folder INTEGER REFERENCES folder(id) ON DELETE CASCADE)''')
db.executemany("INSERT INTO folder(path, at) VALUES (?, 0)", ((f"p{i}",) for i in range(2000)))
db.executemany("INSERT INTO item(folder) VALUES (?)", ((1 + i % 2000,) for i in range(20000)))
""", """
db.execute("PRAGMA foreign_keys = ON")
for i in range(50): db.execute("INSERT OR REPLACE INTO folder(path, at) VALUES (?, ?)", (f"p{i}", i))
db.commit()
""", {
        "summary": ["CREATE INDEX item_folder ON item (folder)", "ON CONFLICT DO UPDATE"],
        "plans": ["CREATE INDEX item_folder ON item (folder)", "ON CONFLICT DO UPDATE"],
        "advise": ["CREATE INDEX item_folder ON item (folder)"]}, []),

    "a view that is a UNION": ("""
db.executescript('''CREATE TABLE inbox(id INTEGER PRIMARY KEY, room INTEGER, at INTEGER); CREATE TABLE outbox(id INTEGER PRIMARY KEY, room INTEGER, at INTEGER);
CREATE INDEX inbox_room ON inbox(room); CREATE INDEX outbox_room ON outbox(room);
CREATE VIEW mail AS SELECT id, room, at, 0 AS sent FROM inbox UNION SELECT id, room, at, 1 FROM outbox''')
for table in ("inbox", "outbox"): db.executemany(f"INSERT INTO {table}(room, at) VALUES (?, ?)", ((i % 300, i) for i in range(15000)))
""", """
for i in range(10): db.execute("SELECT * FROM mail WHERE room = ? ORDER BY at DESC LIMIT 10", (i,)).fetchall()
""", {command: ["UNION in the view 'mail'", "write UNION ALL"] for command in ("summary", "plans", "advise")}, ["DROP INDEX"]),
}


def run(folder, *arguments):
    process = report(*arguments, folder=folder)
    return process.returncode, " ".join((process.stdout + process.stderr).split())


def mistakes(name):
    """What is missing, or wrong, in the output of each command."""
    setup, program, expected, never = SITUATIONS[name]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PYTHON, "-c", SETUP + setup + "\ndb.commit()"], cwd=folder, check=True)
        with open(os.path.join(folder, "app.py"), "w") as file:
            file.write(PROGRAM + program)
        code, output = run(folder, "record", "--log", "-o", "trace", "--", PYTHON, "app.py")
        if code != 0:
            return [f"record ended with {code}: {output[-500:]}"]
        wrong = []
        for command, texts in expected.items():
            _, output = run(folder, command, "trace", "--database", "app.db", *["--all"] * (command == "summary"))
            wrong += [f"{command} lacks '{text}'" for text in texts if text not in output]
            wrong += [f"{command} has '{text}'" for text in never if text in output]
            if wrong and os.environ.get("VERBOSE"):
                print(output)
        return wrong


def main():
    failed = 0
    for name in sys.argv[1:] or SITUATIONS:
        wrong = mistakes(name)
        failed += bool(wrong)
        print(f"{'FAIL' if wrong else 'ok'}  {name}" + "".join(f"\n      {each}" for each in wrong), flush=True)
    sys.exit(f"{failed} failed" if failed else 0)


if __name__ == "__main__":
    main()
