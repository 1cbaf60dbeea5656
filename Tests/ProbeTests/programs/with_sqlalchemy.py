# SPDX-License-Identifier: Apache-2.0
"""SQLAlchemy's object layer; statements are those of its own events."""

from sqlalchemy import ForeignKey, create_engine, event, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

# SQLAlchemy asks for a PRAGMA before its event.
statements = 1


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    books: Mapped[list["Book"]] = relationship()


class Book(Base):
    __tablename__ = "book"
    id: Mapped[int] = mapped_column(primary_key=True)
    author_id: Mapped[int] = mapped_column(ForeignKey("author.id"))
    title: Mapped[str]


engine = create_engine("sqlite://")


@event.listens_for(engine, "connect")
def connect(connection, _):
    # Every statement, those of the driver as well, by SQLite's own trace.
    connection.set_trace_callback(traced)


def traced(sql):
    global statements
    statements += 1


Base.metadata.create_all(engine)
with Session(engine) as session:
    for number in range(5):
        session.add(Author(name=f"a{number}", books=[Book(title="x"), Book(title="y")]))
    session.commit()
with Session(engine) as session:
    titles = 0
    for author in session.scalars(select(Author)):
        titles += len(author.books)  # one statement for each author
print("titles", titles)
engine.dispose()
print("counts", statements, "-")
