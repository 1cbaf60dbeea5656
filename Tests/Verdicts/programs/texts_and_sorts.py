# SPDX-License-Identifier: Apache-2.0
"""Searches in texts, sorts, offsets, and large columns."""

import os
import re

from labels import connect, near_miss, warns, words


def library(folder):
    db = connect(folder)
    db.executescript("""
        CREATE TABLE record(id INTEGER PRIMARY KEY, title TEXT, artist TEXT, year INT, plays INT, shelf INT);
        CREATE INDEX record_title ON record(title);
        CREATE INDEX record_artist ON record(artist COLLATE NOCASE);
        CREATE INDEX record_shelf ON record(shelf);
        CREATE TABLE genre(id INTEGER PRIMARY KEY, name TEXT, note TEXT);
        CREATE VIRTUAL TABLE lyrics USING fts5(title, body);
        CREATE TABLE cover(id INTEGER PRIMARY KEY, record_id INT, label TEXT, image BLOB, small BLOB);
        CREATE TABLE letter(id INTEGER PRIMARY KEY, sent INT, subject TEXT, body TEXT);
    """)
    titles, artists = words(7000, seed=11), words(7000, seed=12)
    db.executemany("INSERT INTO record VALUES (?,?,?,?,?,?)", [
        (i, f"{titles[i]} {titles[-i]}", f"{artists[i].title()} {i % 600}", 1950 + i * 37 % 70, i * 7919 % 100_003, i % 4 // 3)
        for i in range(7000)])
    db.executemany("INSERT INTO genre VALUES (?,?,?)", [(i, titles[i], artists[i]) for i in range(120)])
    db.executemany("INSERT INTO lyrics VALUES (?,?)", [(titles[i], " ".join(artists[i:i + 12])) for i in range(3000)])
    db.executemany("INSERT INTO cover VALUES (?,?,?,?,?)", [
        (i, i, titles[i], bytes([i]) * 9000, bytes([i]) * 900) for i in range(60)])
    db.executemany("INSERT INTO letter VALUES (?,?,?,?)", [
        (i, i, titles[i], " ".join(artists[i:i + 1000])) for i in range(80)])
    db.commit()


@warns("UnindexedStringSearch", setup=library)
def word_within_a_title(folder):
    db = connect(folder)
    for word in ("quiquiqui", "shazu ren"):
        print(db.execute("SELECT id, title FROM record WHERE title LIKE '%' || ? || '%' LIMIT 20", (word,)).fetchall())  # HERE


@warns("UnindexedStringSearch", setup=library)
def instr_of_lower_case(folder):
    db = connect(folder)
    print(db.execute("SELECT id FROM record WHERE instr(lower(artist), lower(?)) > 0", ("Zuzuzu",)).fetchall())


@warns("UnindexedStringSearch", setup=library)
def end_of_a_title(folder):
    db = connect(folder)
    print(len(db.execute("SELECT id FROM record WHERE title GLOB ?", ("*quizuzu",)).fetchall()))


@warns("UnindexedStringSearch", setup=library)
def regular_expression(folder):
    db = connect(folder)
    db.create_function("regexp", 2, lambda pattern, text: re.search(pattern, text) is not None, deterministic=True)
    print(len(db.execute("SELECT id FROM record WHERE title REGEXP ?", (r"^(qui|shazu)+ zu",)).fetchall()))


@warns("UnindexedStringSearch|AvoidFullTableScan", setup=library)
def prefix_with_a_binary_index(folder):
    db = connect(folder)
    print(db.execute("SELECT id, title FROM record WHERE title LIKE ?", ("quizuzu%",)).fetchall())


@warns("UnindexedStringSearch|AvoidFullTableScan", setup=library)
def like_on_a_text_index(folder):
    db = connect(folder)
    print(db.execute("SELECT rowid, title FROM lyrics WHERE body LIKE ?", ("%quizuzu lolo%",)).fetchall())


@warns("UnindexedStringSearch", setup=library)
def any_of_two_columns(folder):
    db = connect(folder)
    pattern = "%zuzulo%"
    print(db.execute('SELECT "id", "title" FROM "record" WHERE ("title" LIKE ? OR "artist" LIKE ?)',
                     (pattern, pattern)).fetchall())


@warns("UseIndexForSort", setup=library)
def charts(folder):
    db = connect(folder)
    print(db.execute("SELECT title, plays FROM record ORDER BY plays DESC LIMIT 20").fetchall()[-1])


@warns("UseIndexForSort", setup=library)
def second_column(folder):
    db = connect(folder)
    print(db.execute('SELECT r.title AS "title", r.plays AS "n" FROM record AS r ORDER BY 2 DESC, 1 LIMIT 10').fetchall()[-1])


@warns("UseIndexForSort", setup=library)
def lower_case_order(folder):
    db = connect(folder)
    print(db.execute("SELECT id, title FROM record ORDER BY lower(title) LIMIT 25").fetchall()[-1])


@warns("UseIndexForSort", setup=library)
def newest_of_a_shelf(folder):
    db = connect(folder)
    print(db.execute("SELECT id, title FROM record WHERE shelf = ? ORDER BY year DESC LIMIT 15", (0,)).fetchall()[-1])


@warns("UseIndexForSort", setup=library)
def whole_list_by_year(folder):
    db = connect(folder)
    for _ in range(2):
        print(len(db.execute("SELECT id, title FROM record ORDER BY year, title").fetchall()))  # HERE


@warns("UseIndexForSort", setup=library)
def ranks(folder):
    db = connect(folder)
    print(db.execute("SELECT title, rank() OVER (ORDER BY plays DESC) AS place FROM record LIMIT 10").fetchall()[-1])


@warns("AvoidDeepOffset", setup=library)
def page_sixty(folder):
    db = connect(folder)
    for page in (60, 90, 120):
        rows = db.execute("SELECT id, title FROM record ORDER BY id LIMIT ? OFFSET ?", (50, page * 50)).fetchall()  # HERE
        print(rows[0])


@warns("AvoidDeepOffset", setup=library)
def offsets_in_the_text(folder):
    db = connect(folder)
    for page in range(40, 46):
        print(len(db.execute(f"SELECT title FROM record ORDER BY title LIMIT 100 OFFSET {page * 100}").fetchall()))  # HERE


@warns("AvoidDeepOffset", setup=library)
def export_by_pages(folder):
    db = connect(folder)
    start = 0
    while rows := db.execute("SELECT * FROM record LIMIT ?, ?", (start, 250)).fetchall():  # HERE
        start += len(rows)
    print(start)


@warns("AvoidLargeColumnInList", setup=library)
def list_of_covers(folder):
    db = connect(folder)
    for row in db.execute("SELECT * FROM cover ORDER BY id"):  # HERE
        print(row[0], row[2])


@warns("AvoidLargeColumnInList", setup=library)
def list_of_letters(folder):
    db = connect(folder)
    letters = db.execute('SELECT "letter"."id", "letter"."sent", "letter"."subject", "letter"."body" FROM "letter" '
                         'ORDER BY "letter"."id" DESC LIMIT 50').fetchall()
    print([letter[2] for letter in letters])


@warns("AvoidLargeColumnInList", setup=library)
def joined_covers(folder):
    db = connect(folder)
    shown = [(title, image[:1]) for title, image in db.execute(
        "SELECT record.title, cover.image FROM cover JOIN record ON record.id = cover.record_id WHERE record.id < 50")]
    print(len(shown))


# MARK: - Near misses


@near_miss("UnindexedStringSearch", setup=library)
def text_index(folder):
    db = connect(folder)
    print(len(db.execute("SELECT title FROM lyrics WHERE lyrics MATCH ?", ('"quizu" OR shazu*',)).fetchall()))


@near_miss("UnindexedStringSearch", setup=library)
def prefix_with_a_nocase_index(folder):
    db = connect(folder)
    print(len(db.execute("SELECT id FROM record WHERE artist LIKE ?", ("shazu%",)).fetchall()))
    print(len(db.execute("SELECT id FROM record WHERE title GLOB ?", ("shazu*",)).fetchall()))
    print(db.execute("SELECT id FROM record WHERE artist = ? COLLATE NOCASE", ("ANDRI 40",)).fetchall())


@near_miss("UnindexedStringSearch", setup=library)
def word_of_a_genre(folder):
    db = connect(folder)
    for word in ("zu", "ka", "ren"):
        print(len(db.execute("SELECT name FROM genre WHERE name LIKE ? OR note LIKE ?", (f"%{word}%", f"%{word}%")).fetchall()))


@near_miss("UnindexedStringSearch", setup=library)
def word_behind_a_search(folder):
    db = connect(folder)
    print(db.execute("SELECT id FROM record WHERE id BETWEEN ? AND ? AND title LIKE '%zu%'", (300, 390)).fetchall())


@near_miss("UnindexedStringSearch", setup=library)
def nearly_all_titles(folder):
    db = connect(folder)
    print(len(db.execute("SELECT id, title FROM record WHERE title LIKE '%a%'").fetchall()))


@near_miss("UseIndexForSort", setup=library)
def order_of_an_index(folder):
    db = connect(folder)
    print(db.execute("SELECT id, title FROM record ORDER BY title LIMIT 40").fetchall()[-1])
    print(db.execute("SELECT id, title FROM record ORDER BY id DESC LIMIT 40").fetchall()[-1])


@near_miss("UseIndexForSort", setup=library)
def genres_by_name(folder):
    db = connect(folder)
    print(db.execute("SELECT id, name FROM genre ORDER BY CASE WHEN note > 'm' THEN 0 ELSE 1 END, name").fetchall()[-1])


@near_miss("UseIndexForSort", setup=library)
def years_by_plays(folder):
    db = connect(folder)
    print(db.execute("SELECT year, sum(plays) AS total FROM record GROUP BY year ORDER BY total DESC LIMIT 5").fetchall())


@near_miss("UseIndexForSort", setup=library)
def found_then_sorted(folder):
    db = connect(folder)
    print(len(db.execute("""SELECT id, plays FROM record WHERE title >= 'sha' AND title < 'shb'
        ORDER BY plays DESC LIMIT 100""").fetchall()))


@near_miss("AvoidDeepOffset", setup=library)
def first_three_pages(folder):
    db = connect(folder)
    for page in range(3):
        print(db.execute("SELECT id, title FROM record ORDER BY title LIMIT 25 OFFSET ?", (page * 25,)).fetchall()[0])
    print(db.execute("SELECT name FROM genre ORDER BY id LIMIT 20 OFFSET 100").fetchall()[0])


@near_miss("AvoidDeepOffset", setup=library)
def pages_by_title(folder):
    db = connect(folder)
    last = ("", 0)
    for _ in range(60):
        rows = db.execute("SELECT title, id FROM record WHERE (title, id) > (?, ?) ORDER BY title, id LIMIT 50", last).fetchall()
        last = rows[-1]
    print(last)


@near_miss("AvoidLargeColumnInList", setup=library)
def one_cover(folder):
    db = connect(folder)
    (image,) = db.execute("SELECT image FROM cover WHERE id = ?", (7,)).fetchone()
    with open(os.path.join(folder, "cover.bin"), "wb") as file:
        file.write(image)
    print(db.execute("SELECT id, label, small FROM cover ORDER BY id").fetchall()[-1][1])


@near_miss("AvoidLargeColumnInList", setup=library)
def previews(folder):
    db = connect(folder)
    print(len(db.execute("SELECT id, subject, substr(body, 1, 120), length(body) FROM letter ORDER BY sent DESC").fetchall()))
    print(len(db.execute("SELECT * FROM letter WHERE id IN (3, 4, 5, 6)").fetchall()))


@near_miss("AvoidLargeColumnInList", setup=library)
def images_of_a_page(folder):
    db = connect(folder)
    for number, image in db.execute("SELECT id, image FROM cover WHERE id BETWEEN 10 AND 21").fetchall():
        with open(os.path.join(folder, f"{number}.bin"), "wb") as file:
            file.write(image)


@near_miss("UseIndexForSort", setup=library)
def genres_of_the_day(folder):
    db = connect(folder)
    for _ in range(3):
        print(len(db.execute("SELECT id, name FROM genre ORDER BY random() LIMIT 3").fetchall()))
