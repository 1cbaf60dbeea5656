# SPDX-License-Identifier: Apache-2.0
"""The line of a task that awaits a statement which runs on another thread."""

import os

from harness import *
from places import _expect_counted, _project, _written


def _tasks(name, text, *modules):
    for module in ("aiosqlite", *modules):
        imported(PYTHON, module)
    program = os.path.join(_written(_project("tasks"), **{name: text}), name + ".py")
    _expect_counted([PYTHON, program], program)


def counts_of_100_tasks_on_one_connection_are_exact():
    _tasks("many", """\
import asyncio, collections, aiosqlite
seen = collections.Counter()
async def read(db, i):
    for _ in range(i % 3 + 1):
        seen["read"] += 1
        async with db.execute("select ?", (i,)) as cursor:  # read
            await cursor.fetchone()
async def write(db, i):
    seen["write"] += 1
    await db.execute("insert into t values(?)", (i,))  # write
async def both(db, i):
    await write(db, i)
    await read(db, i)
    seen["all"] += 1
    await db.execute_fetchall("select ?", (i,))  # all
async def main():
    async with aiosqlite.connect(":memory:", isolation_level=None) as db:
        seen["create"] += 1
        await db.execute("create table t(a)")  # create
        await asyncio.gather(*[both(db, i) for i in range(100)])
asyncio.run(main())
for place in seen: print("place", place, seen[place])
""")


def tasks_that_only_call_the_driver_have_the_line_that_awaits_them():
    _tasks("direct", """\
import asyncio, sys, aiosqlite
async def main():
    async with aiosqlite.connect(":memory:") as db:
        await asyncio.gather(*[db.execute_fetchall("select 1") for i in range(20)])  # gather
        await asyncio.wait_for(db.execute_fetchall("select 2"), 60)  # wait
        await asyncio.shield(db.execute_fetchall("select 3"))  # shield
        task = asyncio.create_task(db.execute_fetchall("select 4"))
        await task  # task
asyncio.run(main())
for place in "gather 20", "wait 1", "shield 1", "task 1": print("place", place)
""")


def statements_behind_generators_and_awaitable_objects_have_their_lines():
    _tasks("generators", """\
import asyncio, contextlib, aiosqlite
class Query:
    def __init__(self, db): self.db = db
    async def run(self):
        return await self.db.execute_fetchall("select 1")  # object
    def __await__(self): return self.run().__await__()
async def rows(db):
    for i in range(7):
        yield await db.execute_fetchall("select 2")  # generator
@contextlib.asynccontextmanager
async def session(db):
    await db.execute("savepoint s")  # enter
    yield db
    await db.execute("release s")  # leave
async def main():
    async with aiosqlite.connect(":memory:", isolation_level=None) as db:
        for i in range(5): await Query(db)
        async for row in rows(db): pass
        for i in range(3):
            async with session(db): pass
asyncio.run(main())
for place in "object 5", "generator 7", "enter 3", "leave 3": print("place", place)
""")


def tasks_beside_a_loop_that_computes_are_exact():
    """The interpreter's lock is held for long, and a statement can begin before its future is awaited."""
    _tasks("computes", """\
import asyncio, sys, aiosqlite
sys.setswitchinterval(1e-6)
async def work(db, i):
    sum(range(20000))
    await db.execute_fetchall("select 1")  # first
    sum(range(20000))
    await db.execute_fetchall("select 1")  # second
async def main():
    async with aiosqlite.connect(":memory:") as db:
        await asyncio.gather(*[work(db, i) for i in range(100)])
asyncio.run(main())
print("place first 100\\nplace second 100")
""")


def lines_of_sqlalchemys_async_engine():
    _tasks("engine", """\
import asyncio, collections
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import create_async_engine
seen = collections.Counter()
def inner(connection):
    for i in range(4):
        connection.execute(text("select 3"))  # inner
async def read(engine):
    async with engine.connect() as connection:
        await connection.execute(text("select 1"))  # read
        await connection.run_sync(inner)
async def main():
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    async with engine.connect() as connection:  # connect
        await connection.execute(text("select 2"))  # main
    for i in range(10): await read(engine)
    await engine.dispose()
asyncio.run(main())
print("place read 10\\nplace inner 40\\nplace main 1\\nplace connect 0")
""", "sqlalchemy", "greenlet")


def lines_of_tortoise():
    _tasks("models", """\
import asyncio
from tortoise import Tortoise, fields, models
class Item(models.Model):
    id = fields.IntField(primary_key=True)
    name = fields.TextField()
async def add(i):
    await Item.create(name=str(i))  # add
async def main():
    await Tortoise.init(db_url="sqlite://:memory:", modules={"models": ["__main__"]})
    await Tortoise.generate_schemas()  # schema
    await asyncio.gather(*[add(i) for i in range(20)])
    for i in range(5): await Item.filter(name=str(i)).first()  # query
    await Tortoise.close_connections()
asyncio.run(main())
print("place add 40\\nplace query 5\\nplace schema 0")
""", "tortoise")


def lines_of_djangos_asynchronous_queries():
    _tasks("views", """\
import asyncio, django
from django.conf import settings
settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
                   INSTALLED_APPS=["django.contrib.contenttypes"])
django.setup()
from django.contrib.contenttypes.models import ContentType
from asgiref.sync import sync_to_async
async def view(i):
    await ContentType.objects.filter(id=i).acount()  # view
async def main():
    await asyncio.gather(*[view(i) for i in range(20)])
    [row async for row in ContentType.objects.all()]  # rows
from django.core.management import call_command
async def start():
    await sync_to_async(call_command)("migrate", verbosity=0)  # migrate
    await main()
asyncio.run(start())
print("place view 20\\nplace rows 1\\nplace migrate 0")
""", "django")


def lines_of_fastapi():
    """Served by uvicorn in the same process: asynchronous functions, and those that run on a thread of the pool."""
    _tasks("server", """\
import asyncio, os, sqlite3, tempfile, aiosqlite, httpx, uvicorn
from fastapi import Depends, FastAPI
app, path = FastAPI(), os.path.join(tempfile.mkdtemp(), "shop.db")
async def database():
    async with aiosqlite.connect(path) as db:
        yield db
@app.get("/item/{i}")
async def item(i: int, db=Depends(database)):
    async with db.execute("select ?", (i,)) as cursor:  # item
        return await cursor.fetchone()
@app.get("/list/{i}")
def rows(i: int):
    return sqlite3.connect(path).execute("select ?", (i,)).fetchall()  # list
async def main():
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    task = asyncio.create_task(server.serve())
    while not server.started: await asyncio.sleep(0.01)
    address = "http://127.0.0.1:%d" % server.servers[0].sockets[0].getsockname()[1]
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        await asyncio.gather(*[client.get(f"/item/{i}") for i in range(50)], *[client.get(f"/list/{i}") for i in range(20)])
    server.should_exit = True
    await task
asyncio.run(main())
print("place item 50\\nplace list 20")
""", "fastapi", "uvicorn", "httpx")
