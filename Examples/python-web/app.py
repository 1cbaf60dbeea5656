# SPDX-License-Identifier: Apache-2.0
"""A small web application over a transit store: python3 app.py STORE before|after

It answers three requests. The version `before` has three usual problems: one more statement for each
row of a list, a search that no index serves, and a job that keeps the write lock while it works.
"""

import sys
import threading
import time

from flask import Flask, jsonify, request
from sqlalchemy import ForeignKey, create_engine, func, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column


class Base(DeclarativeBase):
    pass


class Stop(Base):
    __tablename__ = "ZSTOP"
    id: Mapped[int] = mapped_column("Z_PK", primary_key=True)
    name: Mapped[str] = mapped_column("ZNAME")
    normalized_name: Mapped[str] = mapped_column("ZNORMALIZEDNAME")


class StopTime(Base):
    __tablename__ = "ZSTOPTIME"
    id: Mapped[int] = mapped_column("Z_PK", primary_key=True)
    stop: Mapped[int] = mapped_column("ZSTOP", ForeignKey("ZSTOP.Z_PK"))
    departure: Mapped[int] = mapped_column("ZDEPARTURETIME")


class Visit(Base):
    __tablename__ = "visit"
    id: Mapped[int] = mapped_column(primary_key=True)
    page: Mapped[str] = mapped_column()


def departures_before(session, prefix):
    stops = session.scalars(select(Stop).where(Stop.normalized_name.between(prefix, prefix + "~")).limit(40)).all()
    answer = []
    for stop in stops:
        first = session.scalar(select(func.min(StopTime.departure)).where(StopTime.stop == stop.id))
        answer.append({"name": stop.name, "first": first})
    return answer


def departures_after(session, prefix):
    stops = select(Stop).where(Stop.normalized_name.between(prefix, prefix + "~")).limit(40).subquery()
    rows = session.execute(
        select(stops.c.ZNAME, func.min(StopTime.departure))
        .join(StopTime, StopTime.stop == stops.c.Z_PK).group_by(stops.c.Z_PK))
    return [{"name": name, "first": first} for name, first in rows]


def search_before(session, name):
    return [stop.id for stop in session.scalars(select(Stop).where(Stop.name == name))]


def search_after(session, name):
    return [stop.id for stop in session.scalars(select(Stop).where(Stop.normalized_name == name.lower()))]


def statistics_before(engine, started):
    with Session(engine) as session:
        session.add(Visit(page="statistics"))
        session.flush()
        started.set()
        time.sleep(0.3)  # stands for the work that the job does while it holds the lock
        session.commit()


def statistics_after(engine, started):
    started.set()
    time.sleep(0.3)
    with Session(engine) as session:
        session.add(Visit(page="statistics"))
        session.commit()


def make_app(engine, version):
    app = Flask(__name__)
    is_before = version == "before"
    departures = departures_before if is_before else departures_after
    search = search_before if is_before else search_after

    @app.get("/departures")
    def departures_page():
        with Session(engine) as session:
            return jsonify(departures(session, request.args["prefix"]))

    @app.get("/search")
    def search_page():
        with Session(engine) as session:
            return jsonify(search(session, request.args["name"]))

    @app.post("/visits")
    def visits_page():
        with Session(engine) as session:
            session.add(Visit(page=request.args["page"]))
            session.commit()
            return jsonify(session.scalar(select(func.count(Visit.id))))

    return app


def main(store, version):
    engine = create_engine(f"sqlite:///{store}")
    Base.metadata.create_all(engine, tables=[Visit.__table__])
    client = make_app(engine, version).test_client()
    for prefix in ("a", "b", "k", "m", "s"):
        client.get("/departures", query_string={"prefix": prefix})
    for number in range(20):
        client.get("/search", query_string={"name": f"Stop {number}"})
    job = statistics_before if version == "before" else statistics_after
    started = threading.Event()
    thread = threading.Thread(target=job, args=(engine, started))
    thread.start()
    started.wait()
    visits = client.post("/visits", query_string={"page": "departures"}).get_json()
    thread.join()
    engine.dispose()
    print(f"{version}: 26 requests answered, {visits} visits")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
