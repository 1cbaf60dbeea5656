# SPDX-License-Identifier: Apache-2.0
"""Libraries that run SQL for a program: each loop over 20 rows is 20 runs at the program's line, never at the library's."""

import os
import shutil
import subprocess

from harness import *


def _expect_loop(command, code, suffix):
    """Runs a program whose loop ends with `loop` in a comment, and compares its output and its runs of that line."""
    path = os.path.join(scratch, "framework" + suffix)
    with open(path, "w") as file:
        file.write(code)
    outputs = []
    for level in None, 1:
        folder = os.path.join(scratch, "framework.folder")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        process, lines = run([*command, path, os.path.join(folder, "app.db")], probe=level is not None, level=level)
        expect(process.returncode == 0, process.stderr[-500:])
        outputs.append((process.stdout, process.stderr))
    expect(outputs[0] == outputs[1], f"{outputs[1]} instead of {outputs[0]}")
    expect(len(outputs[0][0].splitlines()) == 20, f"{outputs[0][0]}")
    line = next(str(number) for number, text in enumerate(code.splitlines(), 1) if text.endswith("loop"))
    callers = {event["caller_id"]: event for event in events(lines, "caller")}
    runs, last = [], {}
    for event in events(lines, "statement_run"):
        # A sampled run has no caller: it is of the line of the run before.
        last[event["statement_id"]] = event.get("caller_id", last.get(event["statement_id"]))
        runs.append(callers.get(last[event["statement_id"]], {}))
    expect(all(caller.get("file", "").endswith(os.path.basename(path)) for caller in runs), f"{callers}")
    expect(sum(caller["line"] == line for caller in runs) == 20, f"{[caller['line'] for caller in runs]}")


def _python(module, code):
    imported(PYTHON, module)
    _expect_loop([PYTHON], code, ".py")


def peewee_with_flask():
    imported(PYTHON, "flask")
    _python("peewee", """import sys
from flask import Flask
from peewee import CharField, ForeignKeyField, Model, SqliteDatabase
db = SqliteDatabase(sys.argv[1])
class Author(Model):
    name = CharField()
    class Meta: database = db
class Book(Model):
    author = ForeignKeyField(Author)
    class Meta: database = db
app = Flask("shop")
@app.route("/")
def page():
    names = []
    for book in Book.select():
        names.append(book.author.name)  # loop
    return "\\n".join(names)
with db:
    db.create_tables([Author, Book])
    for i in range(20): Book.create(author=Author.create(name=f"a{i}"))
print(app.test_client().get("/").text)
""")


def pony():
    _python("pony.orm", """import sys
from pony.orm import Database, Required, Set, db_session, select
db = Database()
class Author(db.Entity):
    name = Required(str)
    books = Set("Book")
class Book(db.Entity):
    author = Required(Author)
db.bind("sqlite", sys.argv[1], create_db=True)
db.generate_mapping(create_tables=True)
with db_session:
    for i in range(20): Book(author=Author(name=f"a{i}"))
with db_session:
    for author in select(a for a in Author)[:]:
        print(len(list(select(b for b in Book if b.author == author))))  # loop
""")


def sqlmodel():
    _python("sqlmodel", """import sys
from sqlmodel import Field, Session, SQLModel, create_engine, select
class Author(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    name: str
engine = create_engine("sqlite:///" + sys.argv[1])
SQLModel.metadata.create_all(engine)
with Session(engine) as session:
    session.add_all([Author(name=f"a{i}") for i in range(20)])
    session.commit()
    for number in session.exec(select(Author.id)).all():
        print(session.exec(select(Author.name).where(Author.id == number)).one())  # loop
""")


def dataset():
    _python("dataset", """import sys
import dataset
db = dataset.connect("sqlite:///" + sys.argv[1])
for i in range(20): db["author"].insert(dict(name=f"a{i}"))
for author in list(db["author"].all()):
    print(db["author"].find_one(id=author["id"])["name"])  # loop
""")


def diskcache():
    _python("diskcache", """import sys
import diskcache
cache = diskcache.Cache(sys.argv[1] + ".cache", eviction_policy="none")
for i in range(20): cache[i] = "v" * i
for i in range(20):
    print(cache.get(i))  # loop
""")


def qt():
    """Reads the length of a text before the text."""
    if subprocess.run(["/usr/bin/python3", "-c", "import PyQt5.QtSql"], capture_output=True).returncode != 0:
        raise Skipped("PyQt5.QtSql is not installed")
    _expect_loop(["/usr/bin/python3"], """import sys
from PyQt5.QtSql import QSqlDatabase, QSqlQuery
db = QSqlDatabase.addDatabase("QSQLITE")
db.setDatabaseName(sys.argv[1])
db.open()
def values(sql):
    query = QSqlQuery(sql)
    found = []
    while query.next(): found.append(query.value(0))
    return found
values("CREATE TABLE author(id INTEGER PRIMARY KEY, name)")
for i in range(20): values(f"INSERT INTO author(name) VALUES ('a{i}')")
for number in values("SELECT id FROM author"):
    query = QSqlQuery(f"SELECT name FROM author WHERE id = {number}"); query.next(); print(query.value(0)); query.finish()  # loop
""", ".py")


def dbix_class():
    if subprocess.run(["perl", "-MDBIx::Class", "-MDBD::SQLite", "-e", "1"], capture_output=True).returncode != 0:
        raise Skipped("DBIx::Class is not installed")
    _expect_loop(["perl"], """package Shop::Author; use base 'DBIx::Class::Core';
__PACKAGE__->table('author'); __PACKAGE__->add_columns(id => {is_auto_increment => 1}, name => {}, teacher => {}); __PACKAGE__->set_primary_key('id');
__PACKAGE__->belongs_to(teacher => 'Shop::Author');
package Shop; use base 'DBIx::Class::Schema'; Shop->register_class(Author => 'Shop::Author');
package main;
my $shop = Shop->connect("dbi:SQLite:" . shift);
$shop->storage->dbh->do("CREATE TABLE author(id INTEGER PRIMARY KEY, name, teacher INT)");
$shop->resultset('Author')->create({name => "a$_", teacher => $_ * 7 % 20 + 1}) for 1..20;
my @authors = $shop->resultset('Author')->all;
print $_->teacher->name, "\\n" for @authors; # loop
""", ".pl")
