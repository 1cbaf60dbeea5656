# SPDX-License-Identifier: Apache-2.0
"""Tables that are read to their end for a few rows, and those that have to be."""

import datetime
import json
import sqlite3

from labels import connect, near_miss, warns, words


def shop(folder):
    db = connect(folder)
    db.executescript("""
        CREATE TABLE member(id INTEGER PRIMARY KEY, email TEXT UNIQUE, phone TEXT, joined TEXT, active INT, notes TEXT);
        CREATE INDEX member_joined ON member(joined);
        CREATE TABLE parcel(id INTEGER PRIMARY KEY, member_id INT REFERENCES member(id), code TEXT, grams INT, info TEXT);
        CREATE INDEX parcel_code ON parcel(code);
        CREATE TABLE meter(device TEXT, minute INT, value REAL, PRIMARY KEY(device, minute)) WITHOUT ROWID;
        CREATE TABLE channel(id INTEGER PRIMARY KEY, name TEXT, last INT);
        CREATE TABLE post(id INTEGER PRIMARY KEY, channel TEXT, body TEXT);
        CREATE TRIGGER post_added AFTER INSERT ON post BEGIN
            UPDATE channel SET last = NEW.id WHERE name = NEW.channel;
        END;
        CREATE VIEW reachable AS SELECT id, email, phone FROM member WHERE phone IS NOT NULL;
        CREATE TABLE country(code TEXT, name TEXT, tax INT);
    """)
    names = words(6000, seed=4)
    first = datetime.datetime(2020, 1, 1)
    db.executemany("INSERT INTO member VALUES (?,?,?,?,?,?)", [
        (i, f"{name}.{i}@example.org", f"+49{i * 7919 % 6000:05}",
         (first + datetime.timedelta(hours=7 * i)).isoformat(), i % 3 != 0, None)
        for i, name in enumerate(names, 1)])
    db.executemany("INSERT INTO parcel VALUES (?,?,?,?,?)", [
        (i, i * 31 % 5000 + 1, str(10_000 + i * 13 % 5000), i % 900, json.dumps({"carrier": f"c{i % 700}", "size": i % 5}))
        for i in range(1, 5001)])
    db.executemany("INSERT INTO meter VALUES (?,?,?)", [
        (f"m{i % 40}", i // 40, i * 7 % 100 / 3) for i in range(8000)])
    db.executemany("INSERT INTO channel(name) VALUES (?)", [(f"{name}{i}",) for i, name in enumerate(names[:1500])])
    db.executemany("INSERT INTO country VALUES (?,?,?)", [(f"{name[:2]}{i}", name, i) for i, name in enumerate(names[:180])])
    db.commit()


@warns("AvoidFullTableScan", setup=shop)
def caller_by_phone(folder):
    db = connect(folder)
    db.row_factory = sqlite3.Row
    member = db.execute("SELECT * FROM member WHERE phone = ?", ("+4901919",)).fetchone()  # HERE
    print(dict(member))


@warns("AvoidFullTableScan", setup=shop)
def email_in_lower_case(folder):
    db = connect(folder)
    print(db.execute("SELECT id FROM member WHERE lower(email) = lower(?)", ("Kalo.77@Example.org",)).fetchall())


@warns("AvoidFullTableScan", setup=shop)
def members_of_a_day(folder):
    db = connect(folder)
    for day in ("2021-03-04", "2022-05-06"):
        print(db.execute("SELECT id, email FROM member WHERE date(joined) = ?", (day,)).fetchall())  # HERE


@warns("AvoidFullTableScan", setup=shop)
def email_or_phone(folder):
    db = connect(folder)
    login = "+4901919"
    print(db.execute("SELECT id FROM member WHERE email = :login OR phone = :login", {"login": login}).fetchone())


@warns("AvoidFullTableScan", setup=shop)
def code_as_number(folder):
    db = connect(folder)
    print(db.execute("SELECT id, grams FROM parcel WHERE CAST(code AS INTEGER) = ?", (11_300,)).fetchall())


@warns("AvoidFullTableScan", setup=shop)
def value_within_json(folder):
    db = connect(folder)
    for carrier in ("c5", "c610", "c9"):
        rows = db.execute("SELECT id FROM parcel WHERE json_extract(info, '$.carrier') = ?", (carrier,)).fetchall()  # HERE
        print(carrier, len(rows))


@warns("AvoidFullTableScan", setup=shop)
def foreign_key_without_index(folder):
    db = connect(folder, isolation_level=None)
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("BEGIN")
    for member in (5990, 5991, 5992, 5993):
        db.execute("DELETE FROM member WHERE id = ?", (member,))  # HERE
    db.execute("COMMIT")


@warns("AvoidFullTableScan", setup=shop)
def trigger_without_index(folder):
    with connect(folder) as db:
        db.executemany("INSERT INTO post(channel, body) VALUES (?, ?)", [  # HERE
            (f"{name}{i}", "hello") for i, name in enumerate(words(6000, seed=4)[:30])])


@warns("AvoidFullTableScan", setup=shop)
def update_by_phone(folder):
    db = connect(folder)
    with db:
        for number in range(100, 112):
            db.execute("UPDATE member SET notes = 'call back' WHERE phone = ?", (f"+49{number:05}",))  # HERE


@warns("AvoidFullTableScan", setup=shop)
def view_over_a_column(folder):
    db = connect(folder)
    print(db.execute("SELECT email FROM reachable WHERE phone IN (?, ?)", ("+4900001", "+4900002")).fetchall())


@warns("AvoidFullTableScan", setup=shop)
def second_part_of_the_key(folder):
    db = connect(folder)
    print(db.execute("SELECT device, value FROM meter WHERE minute = ?", (77,)).fetchall())


@warns("AvoidFullTableScan", setup=shop)
def seen_before(folder):
    db = connect(folder)
    unseen = []
    for number in range(20):
        address = f"+31{number:05}"
        if db.execute("SELECT EXISTS(SELECT 1 FROM member WHERE phone = ?)", (address,)).fetchone()[0] == 0:  # HERE
            unseen.append(address)
    print(len(unseen))


@warns("AvoidFullTableScan", setup=shop)
def other_collation(folder):
    db = connect(folder)
    print(db.execute("SELECT id FROM member WHERE email = ? COLLATE NOCASE", ("KALO.1@EXAMPLE.ORG",)).fetchall())


@warns("AvoidFullTableScan", setup=shop)
def newest_of_a_member(folder):
    db = connect(folder)
    print(db.execute("""
        WITH ranked AS (
            SELECT id, member_id, grams, row_number() OVER (PARTITION BY member_id ORDER BY id DESC) AS place FROM parcel)
        SELECT id, grams FROM ranked WHERE place = 1 AND member_id = ?""", (32,)).fetchone())


@warns("AvoidFullTableScan", setup=shop)
def sum_of_a_member(folder):
    db = connect(folder)
    for member in range(1, 9):
        print(db.execute("SELECT coalesce(sum(grams), 0) FROM parcel WHERE member_id = ?", (member,)).fetchone())  # HERE


# MARK: - Near misses


@near_miss("AvoidFullTableScan", setup=shop)
def nightly_report(folder):
    db = connect(folder)
    print(db.execute("SELECT count(*), avg(grams), max(grams) FROM parcel").fetchone())
    print(db.execute("SELECT grams / 100 AS class, count(*) FROM parcel GROUP BY class ORDER BY class").fetchall())


@near_miss("AvoidFullTableScan", setup=shop)
def small_table(folder):
    db = connect(folder)
    for name in words(6000, seed=4)[:60]:
        print(db.execute("SELECT tax FROM country WHERE name = ?", (name,)).fetchone())


@near_miss("AvoidFullTableScan", setup=shop)
def export_of_all(folder):
    db = connect(folder)
    with open(folder + "/members.csv", "w") as file:
        for row in db.execute("SELECT id, email, joined FROM member"):
            print(*row, sep=",", file=file)


@near_miss("AvoidFullTableScan", setup=shop)
def two_thirds_of_a_table(folder):
    db = connect(folder)
    for active in (1, 0):
        print(len(db.execute("SELECT id, email FROM member WHERE active = ?", (active,)).fetchall()))


@near_miss("AvoidFullTableScan", setup=shop)
def first_rows(folder):
    db = connect(folder)
    print(db.execute("SELECT * FROM member ORDER BY id LIMIT 30").fetchall()[-1])
    print(db.execute("SELECT * FROM parcel LIMIT 5").fetchall())
    print(db.execute("SELECT EXISTS(SELECT 1 FROM post)").fetchone())
    print(db.execute("SELECT max(joined) FROM member").fetchone())


@near_miss("AvoidFullTableScan", setup=shop)
def price_of_all(folder):
    with connect(folder) as db:
        db.execute("UPDATE parcel SET grams = grams + 5")
        print(db.execute("DELETE FROM meter WHERE minute < 100").rowcount)


@near_miss("AvoidFullTableScan", setup=shop)
def migration(folder):
    db = connect(folder, isolation_level=None)
    db.execute("BEGIN")
    db.execute("ALTER TABLE member ADD COLUMN host TEXT")
    db.execute("UPDATE member SET host = substr(email, instr(email, '@') + 1) WHERE host IS NULL")
    db.execute("CREATE INDEX member_phone ON member(phone)")
    db.execute("CREATE TABLE parcel_new(id INTEGER PRIMARY KEY, member_id INT NOT NULL, code TEXT, grams INT)")
    db.execute("INSERT INTO parcel_new SELECT id, member_id, code, grams FROM parcel")
    db.execute("DROP TABLE parcel")
    db.execute("ALTER TABLE parcel_new RENAME TO parcel")
    db.execute("PRAGMA user_version = 2")
    db.execute("COMMIT")


@near_miss("AvoidFullTableScan", setup=shop)
def orphans(folder):
    db = connect(folder)
    print(db.execute("PRAGMA foreign_key_check").fetchall())
    print(db.execute("""SELECT parcel.id FROM parcel LEFT JOIN member ON member.id = parcel.member_id
        WHERE member.id IS NULL""").fetchall())
    print(db.execute("PRAGMA integrity_check").fetchone())


@near_miss("AvoidFullTableScan", setup=shop)
def classes_of_sizes(folder):
    db = connect(folder)
    sizes = [row[0] for row in db.execute("SELECT DISTINCT json_extract(info, '$.size') FROM parcel")]
    print(sizes)


@near_miss("AvoidFullTableScan", setup=shop)
def moving_average(folder):
    db = connect(folder)
    rows = db.execute("""SELECT device, minute, avg(value) OVER (PARTITION BY device ORDER BY minute ROWS 9 PRECEDING)
        FROM meter""").fetchall()
    print(len(rows))


@near_miss("AvoidFullTableScan", setup=shop)
def covering_index(folder):
    db = connect(folder)
    db.execute("CREATE INDEX parcel_member ON parcel(member_id, grams)")
    for member in range(1, 30):
        print(db.execute("SELECT sum(grams) FROM parcel WHERE member_id = ?", (member,)).fetchone())


@near_miss("AvoidFullTableScan", setup=shop)
def top_ten_carriers(folder):
    db = connect(folder)
    print(db.execute("""SELECT json_extract(info, '$.carrier') AS carrier, sum(grams) AS total FROM parcel
        GROUP BY carrier ORDER BY total DESC LIMIT 10""").fetchall())


@near_miss("AvoidFullTableScan", setup=shop)
def maintenance(folder):
    db = connect(folder, isolation_level=None)
    db.execute("CREATE VIRTUAL TABLE member_text USING fts5(email, content='member', content_rowid='id')")
    db.execute("INSERT INTO member_text(member_text) VALUES ('rebuild')")
    db.execute("ANALYZE")
    db.execute("PRAGMA optimize")
    db.execute("REINDEX member_joined")
    db.execute("VACUUM")


@near_miss("AvoidFullTableScan", "AvoidAutomaticIndex", setup=shop)
def calendar(folder):
    db = connect(folder)
    rows = db.execute("""
        WITH RECURSIVE day(at) AS (VALUES('2020-01-01') UNION ALL SELECT date(at, '+1 day') FROM day WHERE at < '2020-12-31'),
            joined AS (SELECT date(joined) AS at, count(*) AS members FROM member GROUP BY 1)
        SELECT day.at, coalesce(joined.members, 0) FROM day LEFT JOIN joined ON joined.at = day.at""").fetchall()
    print(len(rows))


@near_miss("AvoidFullTableScan", setup=shop)
def phones_of_two_members(folder):
    db = connect(folder)
    print(db.execute("SELECT phone, count(*) FROM member GROUP BY phone HAVING count(*) > 1").fetchall())


@near_miss("AvoidFullTableScan", setup=shop)
def nightly_rollup(folder):
    db = connect(folder)
    db.execute("CREATE TABLE month_total(month TEXT PRIMARY KEY, members INT)")
    with db:
        db.execute("""INSERT INTO month_total SELECT substr(joined, 1, 7), count(*) FROM member WHERE true GROUP BY 1
            ON CONFLICT(month) DO UPDATE SET members = excluded.members""")


@near_miss("AvoidFullTableScan", setup=shop)
def difference_to_a_copy(folder):
    db = connect(folder)
    copy = connect(folder, "copy.db")
    db.backup(copy)
    copy.close()
    db.execute("ATTACH ? AS copy", (folder + "/copy.db",))
    print(db.execute("SELECT id, email FROM member EXCEPT SELECT id, email FROM copy.member").fetchall())
