# SPDX-License-Identifier: Apache-2.0
"""Searches that read far more than they return, correlated subqueries, automatic indexes."""

import random

from labels import connect, near_miss, warns, words


def chat(folder):
    db = connect(folder)
    db.executescript("""
        CREATE TABLE person(id INTEGER PRIMARY KEY, team_id INT, badge TEXT, name TEXT);
        CREATE INDEX person_team ON person(team_id, name);
        CREATE TABLE line(id INTEGER PRIMARY KEY, room_id INT, at INT, kind TEXT, person_id INT, text TEXT);
        CREATE INDEX line_room ON line(room_id, at, id);
        CREATE TABLE login(id INTEGER PRIMARY KEY, person_id INT, at INT);
        CREATE TABLE vote(line_id INT, person_id INT, PRIMARY KEY(line_id, person_id)) WITHOUT ROWID;
        CREATE VIRTUAL TABLE line_text USING fts5(text, line_id UNINDEXED);
        CREATE TABLE pinned(line_id INTEGER PRIMARY KEY, note TEXT);
        CREATE TRIGGER line_gone AFTER DELETE ON line BEGIN DELETE FROM line_text WHERE line_id = OLD.id; END;
        CREATE TABLE staff(badge TEXT, salary INT);
        CREATE TABLE shift(id INTEGER PRIMARY KEY, name TEXT);
    """)
    dice = random.Random(6)
    names = words(9000, seed=6)
    db.executemany("INSERT INTO person VALUES (?,?,?,?)", [(i, 1 if i < 8500 else 2, f"B{i:05}", names[i]) for i in range(9000)])
    db.executemany("INSERT INTO line VALUES (?,?,?,?,?,?)", [
        (i, 1 if i % 10 else 2, 1000 + i // 3, ("text", "photo", "call")[i % 3], dice.randrange(900), names[i])
        for i in range(9000)])
    db.executemany("INSERT INTO login VALUES (?,?,?)", [(i, dice.randrange(900), i) for i in range(3000)])
    db.execute("INSERT INTO line_text(rowid, text, line_id) SELECT id, text || ' ' || kind, id FROM line")
    db.executemany("INSERT INTO pinned VALUES (?,?)", [(i * 3, names[i]) for i in range(800)])
    db.executemany("INSERT INTO vote VALUES (?,?)", {(dice.randrange(9000), dice.randrange(900)) for _ in range(2000)})
    db.executemany("INSERT INTO staff VALUES (?,?)", [(f"B{i * 3:05}", i) for i in range(2000)])
    db.executemany("INSERT INTO shift VALUES (?,?)", [(i, names[i]) for i in range(40)])
    db.commit()
    db.execute("ANALYZE")


def wide(folder):
    db = connect(folder)
    db.execute("CREATE TABLE document(id INTEGER PRIMARY KEY, owner INT, kind INT, body TEXT)")
    db.executemany("INSERT INTO document VALUES (?,?,?,?)", [(i, i % 90, i % 4, f"{i} " * 300) for i in range(8000)])
    db.commit()


@warns("AvoidCostlySearch", setup=chat)
def badge_within_a_team(folder):
    db = connect(folder)
    print(db.execute("SELECT id, name FROM person WHERE team_id = ? AND badge = ?", (1, "B04711")).fetchone())


@near_miss("AvoidCostlySearch", setup=chat)
def next_page_with_or(folder):
    db = connect(folder)
    at, number = 1400, 1201
    print(db.execute("""SELECT id, text FROM line WHERE room_id = :room AND (at < :at OR (at = :at AND id < :id))
        ORDER BY at DESC, id DESC LIMIT 20""", {"room": 1, "at": at, "id": number}).fetchall()[-1])


@warns("AvoidCostlySearch", setup=chat)
def optional_filter(folder):
    db = connect(folder)
    filters = {"room": 1, "person": 77}
    print(len(db.execute("""SELECT id, text FROM line WHERE room_id = :room
        AND (:person IS NULL OR person_id = :person)""", filters).fetchall()))


@warns("AvoidCostlySearch", setup=chat)
def prefix_within_a_team(folder):
    db = connect(folder)
    print(db.execute("SELECT id, name FROM person WHERE team_id = ? AND name LIKE ?", (1, "quizuvash%")).fetchall())


@warns("AvoidCostlySearch|AvoidFullTableScan", setup=chat)
def trigger_reads_text_index(folder):
    with connect(folder) as db:
        for number in (12, 800, 5000):
            db.execute("DELETE FROM line WHERE id = ?", (number,))  # HERE


@warns("AvoidCostlySearch", setup=chat)
def match_for_each_row(folder):
    db = connect(folder)
    print(db.execute("""SELECT pinned.note FROM pinned CROSS JOIN line_text ON line_text.rowid = pinned.line_id
        WHERE line_text MATCH ?""", ("call",)).fetchmany(3))


@warns("AvoidCostlySearch", setup=wide)
def number_of_documents(folder):
    db = connect(folder)
    for _ in range(3):
        print(db.execute("SELECT count(*) FROM document").fetchone())  # HERE


@warns("AvoidCostlySearch", setup=chat)
def time_before_kind(folder):
    db = connect(folder)
    db.execute("CREATE INDEX line_time ON line(at, person_id)")
    print(db.execute("SELECT id, text FROM line WHERE at BETWEEN ? AND ? AND person_id = ?", (1000, 3900, 77)).fetchall())


@warns("AvoidAutomaticIndex|AvoidScanInCorrelatedSubquery", setup=chat)
def last_login_of_each(folder):
    db = connect(folder)
    print(db.execute("""SELECT person.name, (SELECT max(login.at) FROM login WHERE login.person_id = person.id) AS last
        FROM person WHERE person.id < 200""").fetchall()[-1])


@warns("AvoidAutomaticIndex|AvoidScanInCorrelatedSubquery", setup=chat)
def persons_without_login(folder):
    db = connect(folder)
    print(len(db.execute("""SELECT p.id FROM person p WHERE p.id BETWEEN 100 AND 300
        AND NOT EXISTS (SELECT 1 FROM login l WHERE l.person_id = p.id AND l.at > 100)""").fetchall()))


@warns("AvoidAutomaticIndex|AvoidScanInCorrelatedSubquery", setup=chat)
def stored_counts(folder):
    with connect(folder) as db:
        db.execute("ALTER TABLE person ADD COLUMN logins INT")
        db.execute("UPDATE person SET logins = (SELECT count(*) FROM login WHERE person_id = person.id) WHERE id < 150")  # HERE


@warns("AvoidScanInCorrelatedSubquery", setup=chat)
def salary_above_those_of_neighbours(folder):
    db = connect(folder)
    print(len(db.execute("""SELECT s.badge FROM staff s WHERE s.salary < 120 AND
        (SELECT count(*) FROM login l WHERE abs(l.person_id) = s.salary) > 3""").fetchall()))


@warns("AvoidScanInCorrelatedSubquery", setup=chat)
def logins_before_each_line(folder):
    db = connect(folder)
    print(db.execute("""SELECT id, (SELECT count(*) FROM login WHERE login.at BETWEEN line.at - 5 AND line.at) AS recent
        FROM line WHERE room_id = 2 AND at < 1300""").fetchall()[-1])


@warns("AvoidScanInCorrelatedSubquery", setup=chat)
def badges_in_other_case(folder):
    db = connect(folder)
    print(len(db.execute("""SELECT p.id, p.name FROM person p WHERE p.team_id = 2 AND p.id < 8600
        AND NOT EXISTS (SELECT 1 FROM staff WHERE lower(staff.badge) = lower(p.badge))""").fetchall()))


@warns("AvoidAutomaticIndex", setup=chat)
def salaries_of_a_team(folder):
    db = connect(folder)
    print(len(db.execute("""SELECT p.name, s.salary FROM person p JOIN staff s ON s.badge = p.badge
        WHERE p.team_id = 2""").fetchall()))


@warns("AvoidAutomaticIndex", setup=chat)
def left_join_of_logins(folder):
    db = connect(folder)
    print(len(db.execute("""SELECT p.id, l.at FROM person p LEFT JOIN login l ON l.person_id = p.id
        WHERE p.id BETWEEN 200 AND 400""").fetchall()))


@warns("AvoidAutomaticIndex", setup=chat)
def import_through_a_temporary_table(folder):
    db = connect(folder)
    db.execute("CREATE TEMP TABLE incoming(badge TEXT, salary INT)")
    db.executemany("INSERT INTO incoming VALUES (?,?)", [(f"B{i * 3:05}", i + 7) for i in range(300)])
    db.execute("UPDATE staff SET salary = incoming.salary FROM incoming WHERE incoming.badge = staff.badge")  # HERE
    db.commit()


# MARK: - Near misses


@near_miss("AvoidCostlySearch", setup=chat)
def name_within_a_team(folder):
    db = connect(folder)
    print(db.execute("SELECT id FROM person WHERE team_id = 1 AND name >= ? AND name < ?", ("quizu", "quizv")).fetchall())
    print(db.execute("SELECT id FROM person WHERE team_id = 2 AND badge = ?", ("B08600",)).fetchall())


@near_miss("AvoidCostlySearch", setup=chat)
def next_page_with_a_row_value(folder):
    db = connect(folder)
    at, number = 1400, 1201
    for _ in range(5):
        page = db.execute("""SELECT at, id, text FROM line WHERE room_id = ? AND (at, id) < (?, ?)
            ORDER BY at DESC, id DESC LIMIT 20""", (1, at, number)).fetchall()
        at, number, _ = page[-1]
    print(number)


@near_miss("AvoidCostlySearch", setup=chat)
def text_search_with_its_rows(folder):
    db = connect(folder)
    print(len(db.execute("""SELECT line.id, line.text FROM line_text JOIN line ON line.id = line_text.rowid
        WHERE line_text MATCH ? ORDER BY rank LIMIT 20""", ("mi* photo",)).fetchall()))


@near_miss("AvoidCostlySearch", setup=chat)
def lines_of_a_room(folder):
    db = connect(folder)
    print(db.execute("SELECT count(*), min(at), max(at) FROM line WHERE room_id = ?", (2,)).fetchone())
    print(db.execute("SELECT kind, count(*) FROM line WHERE room_id = ? GROUP BY kind", (1,)).fetchall())


@near_miss("AvoidCostlySearch", setup=wide)
def number_of_kinds(folder):
    db = connect(folder)
    db.execute("CREATE INDEX document_kind ON document(kind)")
    print(db.execute("SELECT kind, count(*) FROM document GROUP BY kind").fetchall())
    print(db.execute("SELECT count(*) FROM document").fetchone())


@near_miss("AvoidScanInCorrelatedSubquery", setup=chat)
def votes_of_each_line(folder):
    db = connect(folder)
    print(len(db.execute("""SELECT id, (SELECT count(*) FROM vote WHERE vote.line_id = line.id) FROM line
        WHERE room_id = 2""").fetchall()))


@near_miss("AvoidScanInCorrelatedSubquery", setup=chat)
def shifts_of_a_room(folder):
    db = connect(folder)
    print(len(db.execute("""SELECT id, text, (SELECT name FROM shift WHERE shift.id = line.person_id % 40) FROM line
        WHERE room_id = 2 AND at < 1100""").fetchall()))


@near_miss("AvoidScanInCorrelatedSubquery", setup=chat)
def above_the_average(folder):
    db = connect(folder)
    print(len(db.execute("SELECT badge FROM staff WHERE salary > (SELECT avg(salary) FROM staff)").fetchall()))


@near_miss("AvoidAutomaticIndex", setup=chat)
def sums_of_a_subquery(folder):
    db = connect(folder)
    rows = db.execute("""SELECT p.name, s.logins FROM person p LEFT JOIN (
        SELECT person_id, count(*) AS logins FROM login GROUP BY person_id) s ON s.person_id = p.id
        WHERE p.id < 900""").fetchall()
    print(len(rows))


@near_miss("AvoidAutomaticIndex", setup=chat)
def shift_by_name(folder):
    db = connect(folder)
    print(len(db.execute("SELECT p.id, s.id FROM person p JOIN shift s ON s.name = p.name WHERE p.team_id = 2").fetchall()))


@near_miss("AvoidAutomaticIndex", setup=chat)
def members_of_a_set(folder):
    db = connect(folder)
    print(len(db.execute("SELECT name FROM person WHERE id IN (SELECT person_id FROM login)").fetchall()))
