#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures a fleet of 1,000 hosts and 100,000,000 rows in DuckDB and ClickHouse, on this machine.

    scale.py TRACE_REPORT FOLDER [HOSTS [ROWS_OF_A_HOST]]

One host is real: a program under `record`, and its rows by `export`. DuckDB derives the others from its
rows: other names, other days and releases, and durations that differ row by row. Prints a table in Markdown.
"""
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

TOOL = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(sys.argv[2]).resolve()
HOSTS = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
ROWS = int(sys.argv[4]) if len(sys.argv) > 4 else 100_000
SQL = pathlib.Path(__file__).resolve().parents[2] / "dashboards" / "sql"
BATCH = min(HOSTS, 10)

PROGRAM = """
import sqlite3, sys
rows = int(sys.argv[2])
db = sqlite3.connect(sys.argv[1])
db.execute("PRAGMA journal_mode=WAL")
db.execute("CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT)")
db.execute("CREATE TABLE book(id INTEGER PRIMARY KEY, author INT, title TEXT)")
db.execute("CREATE INDEX book_author ON book(author)")
db.executemany("INSERT INTO author VALUES(?, ?)", [(i, f"a{i}") for i in range(500)])
db.executemany("INSERT INTO book VALUES(?, ?, ?)", [(i, i % 500, f"t{i}") for i in range(5000)])
db.commit()
count = 5500
while count < rows:
    for book in db.execute("SELECT id, author FROM book WHERE id > ? LIMIT 40", (count % 4900,)).fetchall():
        db.execute("SELECT name FROM author WHERE id = ?", (book[1],)).fetchall()
        db.execute("SELECT count(*) FROM book WHERE author = ?", (book[1],)).fetchall()
    if count % 3 == 0:
        db.execute("SELECT id FROM book WHERE title = ?", (f"t{count}",)).fetchall()
    db.execute("UPDATE book SET title = ? WHERE id = ?", (f"n{count}", count % 5000))
    db.execute("SELECT a.name, count(*) FROM author a JOIN book b ON b.author = a.id "
               "WHERE a.id BETWEEN ? AND ? GROUP BY a.name", (count % 480, count % 480 + 10)).fetchall()
    db.commit()
    count += 84
"""

results = []


def row(what, figure):
    results.append((what, figure))
    print(f"| {what} | {figure} |", flush=True)


def timed(work):
    start, used = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF)
    answer = work()
    now = resource.getrusage(resource.RUSAGE_SELF)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return answer, f"{time.monotonic() - start:.1f} s, {cpu:.1f} s of CPU"


def size(path):
    return sum(file.stat().st_size for file in pathlib.Path(path).rglob("*") if file.is_file())


def statements(path):
    lines = [line for line in path.read_text().splitlines() if not line.startswith("--")]
    return [part.strip() for part in "\n".join(lines).split(";") if part.strip()]


def real_host():
    (FOLDER / "app.py").write_text(PROGRAM)
    subprocess.run(
        [TOOL, "record", "--lossless", "-o", "trace", "--label", "version=1.4", "--label", "host=host-0",
         "--", "python3", "app.py", "app.db", str(ROWS * 21 // 20)],
        check=True, stdout=subprocess.DEVNULL)
    row("the trace of the real host", f"{size('trace') / ROWS:.0f} bytes a row")
    start = time.monotonic()
    subprocess.run(
        [TOOL, "export", "trace", "--format", "rows", "-o", "rows"], check=True, stdout=subprocess.DEVNULL)
    lines = sum(1 for file in pathlib.Path("rows/events").rglob("*.jsonl") for _ in open(file))
    row("`export --format rows` of it, a debug build", f"{time.monotonic() - start:.1f} s for {lines:,} rows of events")
    row("JSON lines of events", f"{size('rows/events') / lines:.0f} bytes a row")
    sums = size("rows/sums") + size("rows/buckets") + size("rows/loops") + size("rows/locks")
    row("JSON lines of its sums, buckets, loops and locks", f"{sums / 1024:.0f} KiB a host and day")
    subprocess.run([TOOL, "summary", "trace", "--json"], check=True, stdout=open("host.json", "w"))
    row("its saved report", f"{size_of('host.json') / 1024:.0f} KiB a host and day")


def size_of(path):
    return pathlib.Path(path).stat().st_size


def other_hosts(db):
    """Ten days of a hundred hosts each would do as well; here each host has one day of ten."""
    for sql in statements(SQL / "duckdb.sql"):
        db.execute(sql)
    db.execute(f"CREATE TABLE one AS SELECT row_number() OVER () AS n, * FROM events LIMIT {ROWS}")
    count = db.execute("SELECT count(*) FROM one").fetchone()[0]
    assert count == ROWS, count
    derived = """
      SELECT one.* EXCLUDE (n) REPLACE (
        'host-' || h AS host, strftime(date '2026-11-01' + CAST(h % 10 AS INT), '%Y-%m-%d') AS date,
        CASE WHEN h % 3 = 0 THEN '1.5' ELSE '1.4' END AS version,
        time_ns + h * 1000003 - (h % 10) * 86400000000000 AS time_ns, pid + h AS pid, tid + h AS tid,
        CAST(duration_ns * (0.5 + hash(h, n) % 1000 / 1000.0) AS BIGINT) AS duration_ns,
        CAST(step_ns * (0.5 + hash(n, h) % 1000 / 1000.0) AS BIGINT) AS step_ns)
      FROM one, range({}, {}) AS hosts(h)"""
    # As the exporter writes them, for a few hosts: 100,000,000 would be 50 GB.
    db.execute(f"COPY ({derived.format(0, BATCH)}) TO 'sample.jsonl' (FORMAT json)")
    columns = statements(SQL / "duckdb.sql")[0].partition("columns = ")[2]
    read = f"read_json('sample.jsonl', format = 'newline_delimited', columns = {columns}"
    _, time_ = timed(lambda: db.execute(
        f"COPY (SELECT * FROM {read}) TO 'sample.parquet' (FORMAT parquet, COMPRESSION zstd)"))
    row(f"DuckDB makes Parquet of the JSON lines of {BATCH} hosts, {BATCH * ROWS:,} rows", time_)
    pathlib.Path("sample.jsonl").unlink()
    os.makedirs("fleet")

    def write():
        for first in range(0, HOSTS, BATCH):
            db.execute(
                f"COPY ({derived.format(first, first + BATCH)}) TO 'fleet/{first:06}.parquet' "
                "(FORMAT parquet, COMPRESSION zstd)")

    _, time_ = timed(write)
    row(f"DuckDB derives {HOSTS:,} hosts and writes them as Parquet (zstd)", time_)
    row("Parquet of events", f"{size('fleet') / 1e9:.2f} GB, {size('fleet') / HOSTS / ROWS:.1f} bytes a row, "
        f"{size('fleet') / HOSTS / 1e6:.2f} MB a host and day")
    for table in ("sums", "buckets", "loops", "locks"):
        db.execute(f"""CREATE TABLE fleet_{table} AS SELECT t.* REPLACE ('host-' || h AS host,
          CASE WHEN h % 3 = 0 THEN '1.5' ELSE '1.4' END AS version) FROM {table} t, range({HOSTS}) AS hosts(h)""")
        db.execute(f"COPY fleet_{table} TO 'fleet_{table}.parquet' (FORMAT parquet)")
        db.execute(f"DROP VIEW {table}; ALTER TABLE fleet_{table} RENAME TO {table}")
    db.execute("DROP VIEW events; CREATE VIEW events AS SELECT * FROM 'fleet/*.parquet'")


QUERIES = {
    "time by form over all hosts":
        "SELECT form, summary, count(*) AS c, sum(duration_ns) AS s FROM events WHERE form <> '' "
        "GROUP BY form, summary ORDER BY s DESC, form LIMIT 20",
    "time of one form by host and day":
        "SELECT host, date, sum(duration_ns) AS s FROM events WHERE summary = 'SELECT author' "
        "GROUP BY host, date ORDER BY s DESC, host LIMIT 20",
    "the slowest 20 runs of one host":
        "SELECT time_ns, form, duration_ns FROM events WHERE host = 'host-7' ORDER BY duration_ns DESC, time_ns LIMIT 20",
}


def queries(name, ask):
    for what, sql in QUERIES.items():
        answer, time_ = timed(lambda: ask(sql))
        row(f"{name}: {what}", time_)
        yield what, answer
    for path in sorted(SQL.glob("*.sql")):
        if path.stem in ("duckdb", "clickhouse", "spark"):
            continue
        answer, time_ = timed(lambda: ask(statements(path)[0]))
        row(f"{name}: `{path.name}`", time_)
        yield path.stem, answer


def main():
    os.chdir(FOLDER)
    real_host()
    import duckdb
    from chdb import session

    db = duckdb.connect("fleet.duckdb", config={"threads": 2, "memory_limit": "6GB"})
    other_hosts(db)
    count = db.execute("SELECT count(*) FROM events").fetchone()[0]
    row("rows of events in all", f"{count:,}")
    forms = db.execute("SELECT count(DISTINCT form), count(*) FROM sums").fetchone()
    row("cardinality", f"{forms[0]} forms, {forms[1]:,} rows of sums, "
        f"{db.execute('SELECT count(*) FROM buckets').fetchone()[0]:,} of buckets")
    ours = dict(queries("DuckDB over Parquet", lambda sql: db.execute(sql).fetchall()))
    db.close()

    click = session.Session(str(FOLDER / "clickhouse"))
    click.query("CREATE DATABASE fleet ENGINE = Atomic")
    click.query("USE fleet")

    def create(table, files):
        click.query(f"CREATE TABLE {table} ENGINE = MergeTree ORDER BY tuple() AS "
                    f"SELECT * FROM file('{files}', Parquet) LIMIT 0 SETTINGS schema_inference_make_columns_nullable = 0")

    click.query("SET max_memory_usage = 8000000000")
    click.query("SET max_threads = 2")
    create("events", str(FOLDER / "fleet/000000.parquet"))
    _, time_ = timed(lambda: click.query(
        f"INSERT INTO events SELECT * FROM file('{FOLDER}/fleet/*.parquet', Parquet) "
        "SETTINGS max_insert_threads = 1, max_threads = 2"))
    row("ClickHouse reads all Parquet into a MergeTree", time_)
    row("the MergeTree", f"{size('clickhouse') / 1e9:.2f} GB")
    for table in ("sums", "buckets", "loops", "locks"):
        create(table, f"{FOLDER}/fleet_{table}.parquet")
        click.query(f"INSERT INTO {table} SELECT * FROM file('{FOLDER}/fleet_{table}.parquet', Parquet)")

    def ask(sql):
        import json

        text = str(click.query(sql + " FORMAT JSONCompact SETTINGS output_format_json_quote_64bit_integers = 0"))
        return json.loads(text)["data"]

    theirs = dict(queries("ClickHouse", ask))
    plain = lambda rows: [[str(value) for value in line] for line in rows]
    different = [what for what in ours if plain(ours[what]) != plain(theirs[what])]
    row("answers that differ between both", ", ".join(different) or "none")
    row("the most memory of this process", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10:,} MiB")


if __name__ == "__main__":
    if FOLDER.exists():
        sys.exit(f"{FOLDER} exists; remove it, or name another folder")
    FOLDER.mkdir(parents=True)
    try:
        main()
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
