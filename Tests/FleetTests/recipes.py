#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs dashboards/sql/*.sql over a folder of rows on each engine that is installed, and compares the answers.

    recipes.py FOLDER [--engines duckdb,clickhouse,spark]

FOLDER holds rows/. Prints {"recipe": [rows]} as JSON; exits with 1 if two engines differ, 77 if an
engine that was named is not installed.
"""
import argparse
import json
import os
import pathlib
import sys

SQL = pathlib.Path(__file__).resolve().parents[2] / "dashboards" / "sql"
SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "Documentation" / "schemas"
ENGINES = ("duckdb", "clickhouse", "spark")
SETUPS = [f"{name}.sql" for name in ENGINES]
SCHEMA_OF = {"events": "event", "sums": "sum", "buckets": "bucket", "loops": "loop", "locks": "lock"}


def statements(path):
    lines = [line for line in path.read_text().splitlines() if not line.startswith("--")]
    return [part.strip() for part in "\n".join(lines).split(";") if part.strip()]


def plain(rows):
    def value(item):
        if item is None or isinstance(item, str):
            return item
        if isinstance(item, float) and not item.is_integer():
            return round(item, 6)
        return int(item)

    return [[value(item) for item in row] for row in rows]


class DuckDB:
    def __init__(self):
        import duckdb

        self.connection = duckdb.connect()
        for sql in statements(SQL / "duckdb.sql"):
            self.connection.execute(sql)

    def query(self, sql):
        return self.connection.execute(sql).fetchall()

    def columns(self, table):
        return [row[0] for row in self.query(f"DESCRIBE {table}")]


class ClickHouse:
    def __init__(self):
        from chdb import session

        self.session = session.Session()
        self.session.query("CREATE DATABASE fleet ENGINE = Atomic")
        self.session.query("USE fleet")
        for sql in statements(SQL / "clickhouse.sql"):
            self.session.query(sql)

    def query(self, sql):
        text = str(self.session.query(
            sql + " FORMAT JSONCompact SETTINGS output_format_json_quote_64bit_integers = 0"))
        return json.loads(text)["data"]

    def columns(self, table):
        return [row[0] for row in self.query(f"DESCRIBE TABLE {table}")]


class Spark:
    def __init__(self):
        from pyspark.sql import SparkSession

        self.session = (
            SparkSession.builder.master("local[1]").appName("recipes")
            .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
            .getOrCreate())
        self.session.sparkContext.setLogLevel("ERROR")
        for sql in statements(SQL / "spark.sql"):
            self.session.sql(sql)

    def query(self, sql):
        return [list(row) for row in self.session.sql(sql).collect()]

    def columns(self, table):
        return self.session.table(table).columns


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--engines", default=",".join(ENGINES))
    options = parser.parse_args()
    os.chdir(options.folder)
    answers, first = {}, None
    for name in options.engines.split(","):
        try:
            engine = {"duckdb": DuckDB, "clickhouse": ClickHouse, "spark": Spark}[name]()
        except ImportError as error:
            print(f"skipped: {error}", file=sys.stderr)
            sys.exit(77)
        for table, schema in SCHEMA_OF.items():
            described = json.loads((SCHEMAS / f"rows-{schema}.json").read_text())["properties"]
            if sorted(engine.columns(table)) != sorted(described):
                sys.exit(f"{name}.sql: {table} has not the columns of rows-{schema}.json")
        for path in sorted(SQL.glob("*.sql")):
            if path.name in SETUPS:
                continue
            rows = plain(engine.query(statements(path)[0]))
            if first is None or path.stem not in answers:
                answers[path.stem] = rows
            elif rows != answers[path.stem]:
                sys.exit(f"{path.name}: {name} answers {rows}, {first} {answers[path.stem]}")
        first = first or name
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
