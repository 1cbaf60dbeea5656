# SPDX-License-Identifier: Apache-2.0
"""A nightly batch with SQLAlchemy: invoices of 30,000 orders, in pages of keys, one transaction for each."""

import datetime
import os
import random
import sys

from sqlalchemy import ForeignKey, Index, create_engine, func, insert, select, update
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload

FOLDER, STEP = sys.argv[1:3]
ENGINE = create_engine("sqlite:///" + os.path.join(FOLDER, "orders.sqlite"))


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customer"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    balance: Mapped[int] = mapped_column(default=0)


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    customer_id: Mapped[int] = mapped_column(ForeignKey("customer.id"), index=True)
    day: Mapped[datetime.date]
    invoiced: Mapped[bool] = mapped_column(default=False)
    customer: Mapped[Customer] = relationship()
    lines: Mapped[list["Line"]] = relationship()
    __table_args__ = (Index("orders_open", "id", sqlite_where=~invoiced.column),)


class Line(Base):
    __tablename__ = "line"
    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int] = mapped_column(ForeignKey("orders.id"), index=True)
    cents: Mapped[int]


class Invoice(Base):
    __tablename__ = "invoice"
    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int] = mapped_column(ForeignKey("orders.id"), unique=True)
    cents: Mapped[int]


def make():
    Base.metadata.create_all(ENGINE)
    dice, day = random.Random(1), datetime.date(2024, 1, 1)
    with ENGINE.begin() as db:
        db.execute(insert(Customer), [{"id": i, "name": f"Customer {i}", "balance": 0} for i in range(1, 3001)])
        db.execute(insert(Order), [{"id": i, "customer_id": dice.randint(1, 3000), "invoiced": i % 10 != 0,
                                    "day": day + datetime.timedelta(i // 100)} for i in range(1, 30001)])
        db.execute(insert(Line), [{"order_id": dice.randint(1, 30000), "cents": dice.randint(100, 9000)} for _ in range(90000)])


def run():
    with Session(ENGINE) as session:
        last, count = 0, 0
        while orders := session.scalars(
                select(Order).where(Order.invoiced.is_(False), Order.id > last).order_by(Order.id).limit(500)
                .options(selectinload(Order.lines), selectinload(Order.customer))).all():
            last = orders[-1].id
            session.add_all([Invoice(order_id=order.id, cents=sum(line.cents for line in order.lines)) for order in orders])
            for order in orders:
                order.customer.balance -= sum(line.cents for line in order.lines)
            session.execute(update(Order).where(Order.id.in_([order.id for order in orders])).values(invoiced=True))
            session.commit()
            session.expunge_all()
            count += len(orders)
    with ENGINE.begin() as db:
        total = select(func.sum(Invoice.cents)).scalar_subquery()
        print(count, "invoices", db.execute(select(total)).scalar())
        db.execute(update(Customer).where(Customer.balance < -100_000).values(name=Customer.name + " *"))


{"make": make, "run": run}[STEP]()
