# SPDX-License-Identifier: Apache-2.0
# A server whose list runs a query for each author, by uvicorn. Serves until its input ends. Prints `ok` if all answers are right.
import asyncio
import os
import sys
import tempfile

import aiosqlite
import httpx
import uvicorn
from fastapi import FastAPI

path = os.path.join(tempfile.mkdtemp(), "shop.db")
app = FastAPI()


async def titles(db, author):
    async with db.execute("SELECT title FROM book WHERE author = ?", (author,)) as cursor:  # loop
        return await cursor.fetchall()


@app.get("/authors")
async def authors():
    async with aiosqlite.connect(path) as db:
        rows = await db.execute_fetchall("SELECT id, name FROM author ORDER BY name")  # list
        return {name: [title for title, in await titles(db, author)] for author, name in rows}


async def main():
    async with aiosqlite.connect(path) as db:
        await db.executescript("CREATE TABLE author(id INTEGER PRIMARY KEY, name);"
                               "CREATE TABLE book(author, title); CREATE INDEX book_author ON book(author);")
        await db.executemany("INSERT INTO author VALUES (?, ?)", [(i, f"author {i}") for i in range(20)])
        await db.executemany("INSERT INTO book VALUES (?, 'title')", [(i % 20,) for i in range(60)])
        await db.commit()
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    address = "http://127.0.0.1:%d" % server.servers[0].sockets[0].getsockname()[1]
    over, failures = asyncio.Event(), []

    async def work(client):
        while not over.is_set():
            answer = (await client.get("/authors")).json()
            if len(answer) != 20 or any(len(books) != 3 for books in answer.values()):
                failures.append(answer)

    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        clients = [asyncio.create_task(work(client)) for _ in range(2)]
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        over.set()
        await asyncio.gather(*clients)
    server.should_exit = True
    await task
    print("failed" if failures else "ok")


asyncio.run(main())
