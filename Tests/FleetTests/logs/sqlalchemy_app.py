# SPDX-License-Identifier: Apache-2.0
"""A program on SQLAlchemy that writes the log of its engine: sqlalchemy_app.py FOLDER."""

import logging
import sys

from sqlalchemy import ForeignKey, create_engine, select, update
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, joinedload, mapped_column, relationship, selectinload

folder = sys.argv[1]
logging.basicConfig(filename=folder + "/own.log", level=logging.INFO)
logging.getLogger("sqlalchemy.engine").setLevel(logging.INFO)


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


class Book(Base):
    __tablename__ = "book"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    author_id: Mapped[int] = mapped_column(ForeignKey("author.id"))
    author: Mapped[Author] = relationship()


engine = create_engine(f"sqlite:///{folder}/app.db")
Base.metadata.create_all(engine)
with Session(engine) as session:
    authors = [Author(name=f"a{i} 'quoted'; -- no comment") for i in range(12)]
    session.add_all(authors)
    session.flush()
    session.add_all([Book(title=f"b{i}", author=authors[i % 12]) for i in range(40)])
    session.commit()
for i in range(15):
    with Session(engine) as session:
        session.add(Author(name=f"n{i}"))
        session.commit()
for option in (None, selectinload(Book.author), joinedload(Book.author)):
    with Session(engine) as session:
        query = select(Book) if option is None else select(Book).options(option)
        assert len([book.author.name for book in session.scalars(query)]) == 40
with Session(engine) as session:
    session.execute(update(Book).where(Book.title == "b1").values(title="z"))
    session.commit()
with engine.begin() as connection:
    connection.exec_driver_sql("INSERT INTO author(name) VALUES (?)", [(f"m{i}",) for i in range(7)])
