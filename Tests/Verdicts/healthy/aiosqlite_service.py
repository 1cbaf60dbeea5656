# SPDX-License-Identifier: Apache-2.0
"""A service on asyncio and aiosqlite: 300 requests over TCP read notes, add them, and list the newest ones."""

import asyncio
import json
import os
import random
import sys

import aiosqlite

FOLDER, STEP = sys.argv[1:3]
DATABASE = os.path.join(FOLDER, "notes.sqlite")


async def make():
    async with aiosqlite.connect(DATABASE) as db:
        await db.executescript("""
            PRAGMA journal_mode = WAL;
            CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
            CREATE TABLE note(id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user(id), created REAL NOT NULL, text TEXT);
            CREATE INDEX note_user_created ON note(user_id, created);
        """)
        await db.executemany("INSERT INTO user(name) VALUES (?)", [(f"user{i}",) for i in range(500)])
        await db.executemany("INSERT INTO note(user_id, created, text) VALUES (?, ?, ?)",
                             [(i * 7919 % 500 + 1, i, "text " * (i % 30)) for i in range(50_000)])
        await db.commit()


class Service:
    def __init__(self, reader, writer):
        self.reader, self.writer, self.lock = reader, writer, asyncio.Lock()

    async def answer(self, request):
        match request:
            case {"newest": name}:
                async with self.reader.execute(
                        "SELECT note.id, text FROM note JOIN user ON user.id = user_id WHERE name = ? ORDER BY created DESC LIMIT 20",
                        (name,)) as rows:
                    return await rows.fetchall()
            case {"add": text, "name": name}:
                async with self.lock:
                    added = await self.writer.execute(
                        "INSERT INTO note(user_id, created, text) SELECT id, julianday(), ? FROM user WHERE name = ?",
                        (text, name))
                    await self.writer.commit()
                    return added.lastrowid
            case {"note": key}:
                async with self.reader.execute("SELECT text, created FROM note WHERE id = ?", (key,)) as rows:
                    return await rows.fetchone()

    async def serve(self, lines, out):
        while line := await lines.readline():
            out.write(json.dumps(await self.answer(json.loads(line))).encode() + b"\n")
            await out.drain()
        out.close()


async def client(port, seed):
    dice = random.Random(seed)
    lines, out = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(50):
        name = f"user{dice.randint(0, 499)}"
        request = dice.choice([{"newest": name}, {"newest": name}, {"note": dice.randint(1, 50_000)}, {"add": "hello", "name": name}])
        out.write(json.dumps(request).encode() + b"\n")
        assert json.loads(await lines.readline())
    out.close()


async def run():
    async with aiosqlite.connect(DATABASE) as reader, aiosqlite.connect(DATABASE) as writer:
        await writer.execute("PRAGMA synchronous = NORMAL")
        service = Service(reader, writer)
        server = await asyncio.start_server(service.serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        await asyncio.gather(*(client(port, seed) for seed in range(6)))
        server.close()


asyncio.run({"make": make, "run": run}[STEP]())
