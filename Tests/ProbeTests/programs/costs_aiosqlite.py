# SPDX-License-Identifier: Apache-2.0
"""costs_aiosqlite.py point COUNT prints nanoseconds for each query, of both threads."""

import asyncio
import sys
import time

import aiosqlite


async def point(connection, count):
    for i in range(count):
        await connection.execute_fetchall("SELECT a, b, c FROM t WHERE a = ?", (i % 1000,))


async def main(count):
    async with aiosqlite.connect(":memory:") as connection:
        await connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL)")
        await connection.executemany("INSERT INTO t VALUES(?, ?, ?)", ((i, "Am Treptower Park", i * 0.5) for i in range(1000)))
        await point(connection, 100)
        start = time.process_time_ns()
        await point(connection, count)
        print((time.process_time_ns() - start) / count)


asyncio.run(main(int(sys.argv[2])))
