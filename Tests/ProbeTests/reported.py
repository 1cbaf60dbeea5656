# SPDX-License-Identifier: Apache-2.0
"""What the events hold."""

import json
import os
import re
import sys

from harness import *


def waits_checkpoints_and_rollbacks():
    path = os.path.join(scratch, "waits.db")
    process, lines = run([compiled("waits"), path], level=1)
    expect(process.returncode == 0, process.stderr)
    statements, rows = counts_of(process.stdout)
    runs = events(lines, "statement_run")
    expect((statements, rows) == (str(len(runs)), str(total(runs, "rows"))),
           f"saw {len(runs)} statements and {total(runs, 'rows')} rows, the program {statements}, {rows}")
    busy = events(lines, "busy")
    waited = [event for event in busy if int(event.get("wait_ns", 0)) > 40_000_000]
    expect(len(waited) == 2 and all(e["store_id"] == "2" for e in waited), f"waits: {busy}")
    expect(sum(event.get("gave_up") == "1" for event in busy) == 1, f"gave up once: {busy}")
    printed = re.search(r"checkpoint (\d+) (\d+)", process.stdout).groups()
    checkpoint = events(lines, "checkpoint")
    expect([(c["mode"], c["log_frames"], c["checkpointed_frames"]) for c in checkpoint] ==
           [("full", *printed)], f"checkpoints: {checkpoint}")
    kinds = [(t["kind"], t["outcome"]) for t in events(lines, "transaction") if t["kind"] == "immediate"]
    expect(kinds == [("immediate", "commit")] * 2 + [("immediate", "rollback")], f"transactions: {kinds}")


def commits_are_what_changes_the_file():
    """Compared with PRAGMA data_version of another connection, which changes with each commit that writes."""
    path = os.path.join(scratch, "commits.db")
    code = ("import sqlite3, sys\n"
            "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "other = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "version = lambda: other.execute('PRAGMA data_version').fetchone()[0]\n"
            "commits, last = 0, version()\n"
            "c.execute('CREATE TABLE k(a UNIQUE)')\n"
            "c.execute('INSERT INTO k VALUES (1)')\n"
            "last = version()\n"
            "for sql in ['CREATE TABLE t(a)', 'UPDATE t SET a = 3', 'DELETE FROM k WHERE a = 2',\n"
            "            'INSERT OR IGNORE INTO k VALUES (1)', 'WITH n AS (SELECT 1) INSERT INTO t SELECT * FROM n WHERE 0'] + ['CREATE TABLE IF NOT EXISTS t(a)', 'DROP TABLE IF EXISTS u',\n"
            "            'CREATE INDEX IF NOT EXISTS i ON t(a)', 'INSERT INTO t VALUES (1)'] * 3 + ['DROP INDEX i',\n"
            "            '-- name: Add :exec\\nINSERT INTO t VALUES (1)', '/* a */ /* b */ UPDATE t SET a = 2',\n"
            "            '-- make\\nCREATE TABLE IF NOT EXISTS t(a)', '/* a */ BEGIN', 'DELETE FROM t', '-- b\\nCOMMIT',\n"
            "            '-- a\\n BEGIN', 'INSERT INTO t VALUES (1)', '/* b */ROLLBACK', '/* INSERT */ SELECT 1',\n"
            "            'PRAGMA user_version = 4', 'PRAGMA user_version', 'PRAGMA main.application_id(7)', 'PRAGMA table_info(t)']:\n"
            "    c.execute(sql)\n"
            "    now = version()\n"
            "    commits, last = commits + (now != last), now\n"
            "print('commits', commits)\n")
    process, lines = run([sys.executable, "-c", code, path], level=1)
    seen = [t for t in events(lines, "transaction") if t["store_id"] == "1" and t["outcome"] == "commit"]
    # The two before the count.
    seen = seen[2:]
    expect(process.stdout == f"commits {len(seen)}\n", f"{process.stdout} {process.stderr} {len(seen)} seen")
    expect(len(seen) == 11, f"{seen}")
    outcomes = [t["outcome"] for t in events(lines, "transaction") if t["store_id"] == "1"]
    expect(outcomes == ["commit"] * 11 + ["rollback"] + ["commit"] * 2, f"{outcomes}")


def commits_are_what_changes_the_file_also_by_statements_that_change_no_row_of_it():
    """A DELETE without rows writes a page; a temporary table, even one that does not fit into memory, is another file."""
    code = ("import sqlite3, sys\n"
            "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "c.execute('PRAGMA journal_mode = ' + sys.argv[2])\n"
            "other = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "version = lambda: other.execute('PRAGMA data_version').fetchone()[0]\n"
            "c.execute('CREATE TABLE t(a)')\n"
            "c.execute('CREATE TABLE n(a INTEGER PRIMARY KEY AUTOINCREMENT, b UNIQUE)')\n"
            "c.execute('INSERT INTO n(b) VALUES (1)')\n"
            "last = version()\n"
            "for sql in ('DELETE FROM t', 'INSERT OR IGNORE INTO n(b) VALUES (1)', 'CREATE TEMP TABLE s(a)', 'INSERT INTO s VALUES (1)',\n"
            "            'DELETE FROM s', 'CREATE TEMP TABLE large AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 9000)'\n"
            "            ' SELECT i, zeroblob(1000) AS b FROM r', 'UPDATE large SET b = zeroblob(1001)', 'INSERT INTO t SELECT i FROM large LIMIT 3',\n"
            "            'CREATE TEMP TRIGGER g AFTER INSERT ON s BEGIN INSERT INTO t VALUES (new.a); END', 'INSERT INTO s VALUES (2)',\n"
            "            'VACUUM', f\"VACUUM INTO '{sys.argv[1]}.copy'\", \"ATTACH ':memory:' AS m\", 'CREATE TABLE m.x(a)',\n"
            "            f\"ATTACH '{sys.argv[1]}.other' AS o\", 'CREATE TABLE o.x(a)', 'REINDEX', 'EXPLAIN INSERT INTO t VALUES (1)'):\n"
            "    c.execute(sql).fetchall()\n"
            "    now = version()\n"
            "    if now != last or sql == 'CREATE TABLE o.x(a)': print(sql)\n"
            "    last = now\n")
    for mode in "WAL", "DELETE":
        process, lines = run([sys.executable, "-c", code, os.path.join(scratch, mode + ".db"), mode], level=1)
        seen, sql = [], None
        committed = False
        for line in lines:
            committed |= "annotation: transaction store_id=1 outcome=\"commit\"" in line
            if "ObjectStore: sql: " in line:
                sql = line.split("ObjectStore: sql: ", 1)[1]
            if "annotation: statement_run " in line and committed:
                seen.append(sql)
                committed = False
        expect(process.returncode == 0 and seen[3:] == process.stdout.splitlines(), f"{mode} {process.stdout}{process.stderr}{seen}")


def a_commit_that_fails_when_the_statement_is_finalized_or_reset():
    program = compiled("refused")
    plain, _ = run([program, os.path.join(scratch, "refused-plain.db")], probe=False)
    process, lines = run([program, os.path.join(scratch, "refused.db")], level=1)
    expect(plain.returncode == 0 and process.stdout == plain.stdout, plain.stdout + process.stdout)
    runs = [run for run in events(lines, "statement_run") if run["connection_id"] == "1"][2:]
    seen = [(run.get("error"), run.get("changes", "0")) for run in runs]
    refused = ("SQLITE_BUSY: database is locked", "0")
    expect(seen == [refused, (None, "3")] * 2, f"{seen}")
    expect(all(int(run["step_ns"]) > 20_000_000 for run in runs[::2]), f"the time of the commit: {runs}")
    outcomes = [event["outcome"] for event in events(lines, "transaction") if event["store_id"] == "1"][2:]
    expect(outcomes == ["rollback", "commit"] * 2, f"{outcomes}")
    waited = [(event.get("gave_up"), int(event["wait_ns"]) > 20_000_000) for event in events(lines, "busy")]
    expect(waited == [("1", True)] * 2, f"{waited}")


def the_first_word_is_behind_empty_statements_byte_order_marks_and_long_comments():
    code = ("import sqlite3, sys\n"
            "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "c.execute('CREATE TABLE t(a)')\n"
            "for start in (';', ' ; /* a */;', '\\ufeff', ';\\ufeff ', '/*' + 'x' * 40000 + '*/', '-- ' + 'x' * 40000 + '\\n;'):\n"
            "    for sql in ('INSERT INTO t VALUES (1)', 'BEGIN IMMEDIATE', 'DELETE FROM t', 'COMMIT'): c.execute(start + sql)\n")
    process, lines = run([sys.executable, "-c", code, os.path.join(scratch, "words.db")], level=1)
    expect(process.returncode == 0, process.stderr)
    seen = [(event["kind"], event["outcome"]) for event in events(lines, "transaction")][1:]
    expect(seen == [("autocommit", "commit"), ("immediate", "commit")] * 6, f"{seen}")
    expect(max(map(len, lines)) < 1000, "a comment is no part of the statement that is cut")


def rows_written_before_or_fail_are_a_commit():
    code = ("import sqlite3, sys\n"
            "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "other = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "version = lambda: other.execute('PRAGMA data_version').fetchone()[0]\n"
            "c.execute('CREATE TABLE t(a UNIQUE)')\n"
            "c.execute('INSERT INTO t VALUES (1)')\n"
            "c.execute('CREATE TABLE log(a)')\n"
            "c.execute('CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); END')\n"
            "for conflict in 'ABORT', 'ROLLBACK', 'FAIL':\n"
            "  for rows in '(2), (3), (1)', '(1), (4)', '(5), (1)':\n"
            "    last = version()\n"
            "    try: c.execute(f'INSERT OR {conflict} INTO t VALUES {rows}')\n"
            "    except sqlite3.IntegrityError: print('commit' if version() != last else 'rollback')\n")
    process, lines = run([sys.executable, "-c", code, os.path.join(scratch, "fail.db")], level=1)
    seen = [event["outcome"] for event in events(lines, "transaction")][4:]
    expect(seen == process.stdout.split() == ["rollback"] * 6 + ["commit", "rollback", "commit"],
           f"{process.stdout}{process.stderr}{seen}")
    changes = [run.get("changes") for run in events(lines, "statement_run") if "error" in run]
    expect(changes == [None] * 6 + ["2", None, "1"], f"{changes}")


def a_query_that_is_open_while_others_write_changes_nothing():
    code = ("import sqlite3\n"
            "c = sqlite3.connect(':memory:', isolation_level=None)\n"
            "c.execute('CREATE TABLE t(a INTEGER PRIMARY KEY, b)')\n"
            "c.execute('INSERT INTO t(b) VALUES (1), (2), (3)')\n"
            "for row in c.execute('SELECT a FROM t'): c.execute('UPDATE t SET b = b + 1')\n"
            "print(c.total_changes)\n")
    process, lines = run([sys.executable, "-c", code], level=1)
    runs = events(lines, "statement_run")
    expect([run.get("changes") for run in runs if "readonly" in run] == [None], f"{runs}")
    expect(process.stdout == f"{total(runs, 'changes')}\n", f"{process.stdout}{runs}")


def a_transaction_that_writes_to_temporary_tables_is_no_writer():
    installed("sqlite3")
    sql = ("CREATE TABLE t(a); CREATE TEMP TABLE s(a); ATTACH ':memory:' AS other; CREATE TABLE other.o(a);\n" +
           "".join("BEGIN; " + "".join(f"INSERT INTO {table} VALUES (1); " for table in tables) + "COMMIT;\n"
                   for tables in ("s", "st", "so", "t")))
    log = {"LD_PRELOAD": "", "STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": os.path.join(scratch, "log")}
    for process, lines in (run(["sqlite3"], level=1, input=sql),
                           run(["sqlite3"], probe=False, input=f".load {PROBE}\n{sql}", variables=log)):
        expect(process.returncode == 0, process.stderr)
        seen = [(event["outcome"], event.get("writer_ns") != "-1") for event in events(lines, "transaction")
                if event["kind"] == "deferred"]
        expect(seen == [("commit", False)] + [("commit", True)] * 3, f"{seen}")


def a_transaction_that_a_close_ends_is_idle_until_then():
    code = ("import sqlite3, time\n"
            "c = sqlite3.connect(':memory:', isolation_level=None)\n"
            "c.execute('BEGIN IMMEDIATE')\n"
            "time.sleep(0.1)\n"
            "c.close()\n")
    _, lines = run([sys.executable, "-c", code], level=1)
    seen = events(lines, "transaction")
    expect([event["outcome"] for event in seen] == ["rollback"], f"{seen}")
    expect(100_000_000 <= int(seen[0].get("idle_ns", 0)) <= int(seen[0]["total_ns"]), f"{seen}")


def comments_that_name_a_caller():
    code = ("import sqlite3\nc = sqlite3.connect(':memory:')\n"
            "for i in range(3):\n"
            "  c.execute(f\"SELECT 1 /*controller='users',action='show',traceparent='00-{i}'*/\")\n"
            "c.execute(\"/*application:shop,line:/app/user.rb:12:in `find'*/ SELECT 1\")\n"
            "c.execute('SELECT 1 /* plain */')\n")
    _, lines = run([sys.executable, "-c", code], level=1)
    ids = [run["statement_id"] for run in events(lines, "statement_run")]
    expect(len(set(ids[:4])) == 1 and ids[4] != ids[0], f"statement ids {ids}")
    callers = [(e["language"], e.get("function", ""), e.get("file", ""), e.get("line", ""))
               for e in events(lines, "caller") if e["language"] == "sql"]
    expect(callers == [("sql", "users#show", "", ""), ("sql", "", "/app/user.rb", "12")], f"{callers}")


def values_in_the_log():
    code = ("import sqlite3\nsqlite3.connect(':memory:').execute('SELECT ?, ?, ?, ?, ?',"
            " (1, 2.5, \"it's\\n\", None, b'ab'))\n")
    _, lines = run([sys.executable, "-c", code], level=2)
    bound = [line.split("SQLite bind", 1)[1] for line in lines if "SQLite bind" in line]
    expect(bound == ["[0] = (int64) 1", "[1] = (double) 2.5", "[2] = \"it's\\n\"", "[3] = nil",
                     "[4] = (blob) 2 bytes x'6162'"], f"{bound}")


def errors_contain_no_values():
    """Unless values are recorded. Names in the SQL and in the schema are kept."""
    code = ("import sqlite3\nc = sqlite3.connect(':memory:', isolation_level=None)\n"
            "c.execute('CREATE VIRTUAL TABLE f USING fts5(x)')\n"
            "c.execute('CREATE TABLE t(a UNIQUE, b CHECK (b > 0))')\n"
            "c.execute(\"CREATE TABLE r AS SELECT '$secret' AS path\")\n"
            "c.execute(\"CREATE TRIGGER g BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'rows stay'); END\")\n"
            "c.execute('INSERT INTO t VALUES (1, 1)')\n"
            "for sql, values in ((\"SELECT * FROM f WHERE f MATCH ?\", ('secret:x',)),\n"
            "                    (\"SELECT * FROM f WHERE f MATCH ?\", ('secret\"',)),\n"
            "                    (\"SELECT json_extract('{}', ?)\", ('$secret',)),\n"
            "                    (\"SELECT json_extract('{}', path) FROM r\", ()),\n"
            "                    ('INSERT INTO t VALUES (?, 1)', (1,)), ('INSERT INTO t VALUES (2, ?)', (-1,)),\n"
            "                    ('DELETE FROM t WHERE a = ?', (1,)),\n"
            "                    ('ROLLBACK TO here', ()), ('COMMIT', ())):\n"
            "  try: c.execute(sql, values).fetchall()\n"
            "  except sqlite3.Error as error: print(error)\n")
    for level in 1, 2:
        process, lines = run([sys.executable, "-c", code], level=level)
        messages = process.stdout.splitlines()
        expect(len(messages) == 9 and sum("secret" in message for message in messages) >= 3, process.stdout + process.stderr)
        if level == 1:
            messages[:4] = ["SQL logic error"] * 4
            expect(not any("secret" in line for line in lines if "sql: CREATE" not in line), "a value is in the log")
        errors = [run["error"].replace("\\", "") for run in events(lines, "statement_run") if "error" in run]
        expect([error.split(": ", 1)[1] for error in errors] == messages, f"{errors} {messages}")


def automatic_checkpoints_and_those_of_a_pragma():
    path = os.path.join(scratch, "checkpoints.db")
    code = ("import os, sqlite3, sys\n"
            "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "c.execute('PRAGMA journal_mode = WAL')\n"
            "c.execute('PRAGMA wal_autocheckpoint = 10')\n"
            "c.execute('CREATE TABLE t(a)')\n"
            "for i in range(30): c.execute('INSERT INTO t VALUES(1)')\n"
            "print(c.execute('PRAGMA wal_autocheckpoint').fetchone()[0])\n"
            "print(*c.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchone())\n")
    plain, _ = run([sys.executable, "-c", code, path], probe=False)
    for name in (path, path + "-wal", path + "-shm"):
        if os.path.exists(name):
            os.remove(name)
    process, lines = run([sys.executable, "-c", code, path], level=1)
    expect(process.stdout == plain.stdout == "10\n0 0 0\n", process.stdout + process.stderr)
    seen = [(c["mode"], c.get("log_frames", "0"), c.get("checkpointed_frames", "0"))
            for c in events(lines, "checkpoint")]
    # The table takes 2 frames and each insertion 1: checkpoints at 10 frames, and the log begins again.
    expect(seen == [("passive", "10", "10")] * 3 + [("truncate", "0", "0")], f"checkpoints: {seen}")


def statements_that_are_not_prepared():
    code = ("import sqlite3\nc = sqlite3.connect(':memory:')\n"
            "for sql in ('SELECT x FROM missing', 'SELEC 1'):\n"
            "  try: c.execute(sql)\n"
            "  except sqlite3.OperationalError as error: print(error)\n"
            "try: c.executescript('CREATE TABLE a(b); INSERT INTO a VALUES(1); SELECT \";\" FROM c; SELECT 2')\n"
            "except sqlite3.OperationalError as error: print(error)\n")
    process, lines = run([sys.executable, "-c", code], level=1)
    runs = events(lines, "statement_run")
    failed = [run["error"].replace("\\", "") for run in runs if "timed_steps" not in run]
    expect(failed == ["SQLITE_ERROR: " + line for line in process.stdout.splitlines()] and len(failed) == 3,
           f"{failed}")
    texts = [line.split("sql: ", 1)[1] for line in lines if "ObjectStore: sql: " in line]
    expect(texts[0] == "SELECT x FROM missing" and texts[1] == "SELEC 1" and texts[-1] == 'SELECT ";" FROM c',
           f"{texts}")
    callers = {event["caller_id"]: event for event in events(lines, "caller")}
    expect(all(callers[run["caller_id"]]["line"] in "46" for run in runs), f"{callers}")


def failures_of_sqlite3_exec():
    _, lines = run([compiled("fails")], level=1)
    errors = [run["error"] for run in events(lines, "statement_run") if "error" in run]
    texts = [line.split("sql: ", 1)[1] for line in lines if "ObjectStore: sql: " in line]
    expect(errors == ["SQLITE_ERROR: no such table: b"], f"{errors}")
    expect(texts == ["CREATE TABLE a(b);", "SELECT 1 FROM b"], f"{texts}")


def values_of_a_copy_observed_by_callbacks():
    imported(PYTHON, "apsw")
    code = ("import apsw\nc = apsw.Connection(':memory:')\n"
            "list(c.execute(\"SELECT ?, 'a?', :x, ?2, :x -- ?\", (1, 'its')))\n"
            "list(c.execute('SELECT ?, ?, ?, ?-1', (None, b'ab', 1e300, -5)))\n")
    _, lines = run([PYTHON, "-c", code], level=2)
    bound = [line.split("SQLite bind", 1)[1] for line in lines if "SQLite bind" in line]
    expect(bound == ["[0] = (int64) 1", "[1] = \"its\"", "[0] = nil", "[1] = (blob) 2 bytes x'6162'",
                     "[2] = (double) 1.0e+300", "[3] = (int64) -5"], f"{bound}")


def a_long_fetch_is_timed_by_some_of_its_steps():
    program = compiled("costs")
    _, lines = run([program, "fetch", "20000"], level=1)
    fetch = [run for run in events(lines, "statement_run") if run.get("rows") == "20000"]
    # The first 33, and then one in 64.
    expect(len(fetch) == 1 and int(fetch[0]["timed_steps"]) in range(344, 360), f"{fetch}")
    expect(0 < int(fetch[0]["step_ns"]) <= int(fetch[0]["open_ns"]), f"{fetch}")


def the_test_that_the_environment_names():
    installed("sqlite3")
    for variable, value in (("STORE_TEST_NAME", "it's a test"), ("PYTEST_CURRENT_TEST", "test_a.py::test_b[x] (call)")):
        process, lines = run(["sqlite3", ":memory:", "SELECT 1"], level=1, variables={variable: value})
        texts = [line.split("sql: ", 1)[1] for line in lines if "ObjectStore: sql: " in line]
        name = value.replace("'", " ").removesuffix(" (call)")
        expect(process.stdout == "1\n" and texts == [f"SELECT 'storescope: test {name}'", "SELECT 1"], f"{texts}")


def the_tests_of_unittest():
    program = os.path.join(scratch, "test_unit.py")
    with open(program, "w") as file:
        file.write("import sqlite3, unittest\n"
                   "class Plain(unittest.TestCase):\n"
                   "    def setUp(self): self.db = sqlite3.connect(':memory:', check_same_thread=False)\n"
                   "    def test_one(self): self.db.execute('SELECT 1')\n"
                   "    def test_two(self): self.db.execute('SELECT 2')\n"
                   "class Async(Plain, unittest.IsolatedAsyncioTestCase):\n"
                   "    async def test_one(self): self.db.execute('SELECT 3')\n"
                   "    test_two = None\n")
    process, lines = run([sys.executable, "-m", "unittest", "test_unit"], level=1, folder=scratch)
    texts = [line.split("sql: ", 1)[1] for line in lines if "ObjectStore: sql: " in line]
    tests = dict(zip(texts, texts[1:]))
    for name, statement in (("Plain::test_one", 1), ("Plain::test_two", 2), ("Async::test_one", 3)):
        marker = f"SELECT 'storescope: test test_unit.py::{name}'"
        expect(tests.get(marker) == f"SELECT {statement}", f"{texts}{process.stderr}")
        if name != "Async::test_one":
            expect(f"SELECT 'storescope: test test_unit.py::{name} (teardown)'" in texts, f"{texts}")


def growth_of_a_program_of_any_language():
    program = os.path.join(scratch, "growing.py")
    with open(program, "w") as file:
        file.write("import sqlite3, sys\n"
                   "c = sqlite3.connect(':memory:')\n"
                   "c.execute('CREATE TABLE t(id INTEGER PRIMARY KEY, a)')\n"
                   "c.executemany('INSERT INTO t(a) VALUES (?)', [(i,) for i in range(int(sys.argv[1]))])\n"
                   "c.execute('SELECT id FROM t WHERE a = ?', (7,)).fetchall()\n"
                   "c.execute('SELECT a FROM t WHERE id = ?', (7,)).fetchall()\n")
    process = report("growth", "--sizes", "100,1000,10000", "--json", "--", sys.executable, program, "{size}")
    verdicts = {s["sql"]: s["verdict"] for s in json.loads(process.stdout)["statements"]}
    expect(verdicts.get("SELECT id FROM t WHERE a = ?") == "growsLikeScan", f"{verdicts}{process.stderr}")
    expect(verdicts.get("SELECT a FROM t WHERE id = ?") == "search", f"{verdicts}")


def a_connection_that_is_not_returned_to_its_pool():
    """The recording has the line that keeps it, the lines that wait, and how long; a pool that is in use has nothing to report."""
    imported(PYTHON, "sqlalchemy")
    lines = open(script("leaks.py")).read().splitlines()
    line = {name: next(number for number, text in enumerate(lines, 1) if text.endswith("# " + name))
            for name in ("leak", "waits")}
    for kind, gave_up in ("leak", 6), ("return", 0):
        process, log = run([PYTHON, script("leaks.py"), kind, os.path.join(scratch, kind + ".db")], level=1)
        expect((process.returncode, process.stdout, process.stderr) == (0, "", ""), process.stderr[-500:])
        waits = events(log, "pool_waited")
        expect(waits and total(waits, "gave_up") == gave_up, f"{kind}: {waits}")
        summary = json.loads(report("summary", os.path.join(scratch, "log"), "--json").stdout)
        found = [finding for finding in summary["findings"] if finding["rule"] == "ReturnConnection"]
        expect([finding["caller"]["line"] for finding in found] == ([line["leak"]] if kind == "leak" else []), f"{kind}: {found}")
        expect(all(f"leaks.py:{line['waits']}" in finding["message"] for finding in found), f"{found}")


def texts_that_are_read_as_utf_16():
    """A length in UTF-16 that is read before the text is that of the text."""
    plain, _ = run([compiled("texts16")], probe=False)
    for values in "0", "1":
        recorded, log = run([compiled("texts16")], level=1, variables={"STORE_TRACE_VALUES": values})
        expect(recorded.stdout == plain.stdout, f"{recorded.stdout} instead of {plain.stdout}")
        expect(len(events(log, "statement_run")) == 8, f"{len(log)} lines")


def a_statement_that_stays_open_has_the_line_that_ran_it():
    """Not the line that ends it, which is another one."""
    process, log = run([compiled("slow-ends")], level=1)
    runs = events(log, "statement_run")
    expect((process.returncode, len(runs)) == (0, 100), f"{process.stderr} {len(runs)} runs")
    callers = {event["caller_id"] for event in runs if "caller_id" in event}
    expect(len(callers) == 1, f"{[event for event in events(log, 'caller')]}")
