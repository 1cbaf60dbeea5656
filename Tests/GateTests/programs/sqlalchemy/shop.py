# SPDX-License-Identifier: Apache-2.0
"""The shop with SQLAlchemy's ORM."""

from sqlalchemy import Column, ForeignKey, Integer, String, func
from sqlalchemy.orm import declarative_base, joinedload, relationship, selectinload

Base = declarative_base()


class Author(Base):
    __tablename__ = "author"
    id = Column(Integer, primary_key=True)
    name = Column(String, nullable=False)
    books = relationship("Book", back_populates="author")


class Book(Base):
    __tablename__ = "book"
    id = Column(Integer, primary_key=True)
    author_id = Column(ForeignKey("author.id"), nullable=False, index=True)
    title = Column(String, nullable=False)
    isbn = Column(String, nullable=False, unique=True)
    price = Column(Integer, nullable=False)
    author = relationship("Author", back_populates="books")


def fill(session):
    session.add_all([Author(id=i, name=f"author {i}") for i in range(1, 11)])
    session.flush()
    session.add_all([
        Book(id=i, author_id=1 + (i - 1) // 3, title=f"title {i}", isbn=f"isbn {i}", price=100 + i)
        for i in range(1, 31)])
    session.commit()


def titles_and_authors(session):
    books = session.query(Book).options(joinedload(Book.author)).filter(Book.id % 3 == 1)
    return [f"{book.title} by {book.author.name}" for book in books]


def authors_with_books(session):
    authors = session.query(Author).options(selectinload(Author.books)).order_by(Author.id).all()
    return {author.name: len(author.books) for author in authors}


def book(session, isbn):
    return session.query(Book).filter(Book.isbn == isbn).one()


def newest(session, count):
    return session.query(Book).order_by(Book.id.desc()).limit(count).all()


def first_of(session, author):
    return session.query(Book.title).filter(Book.author_id == author).order_by(Book.id).first()[0]


def add_authors(session, names):
    for name in names:
        session.add(Author(name=name))
        session.flush()
    session.commit()


def raise_prices(session, isbns):
    for isbn in isbns:
        session.query(Book).filter(Book.isbn == isbn).update({"price": Book.price + 1})
    session.commit()


def prices(session, author):
    total = session.query(func.sum(Book.price)).filter(Book.author_id == author).scalar()
    return {"total": total, "shipped": total + 5}


def page(session, number):
    count = session.query(Author).count()
    return {"count": count, "pages": -(-count // 5), "number": number}


def known_loop(session):
    books = session.query(Book).filter(Book.id % 3 == 2).all()
    return [book.author.name for book in books]


def other_list(session):
    books = session.query(Book).filter(Book.id % 3 == 0).all()
    return [book.author_id for book in books]
