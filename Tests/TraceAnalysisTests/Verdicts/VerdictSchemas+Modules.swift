// SPDX-License-Identifier: Apache-2.0

extension VerdictSchema {
  static let fullText = VerdictSchema(
    name: "full text",
    setUp: """
      CREATE VIRTUAL TABLE mail USING fts5(subject, body);
      CREATE VIRTUAL TABLE old USING fts4(body);
      \(numbers) INSERT INTO mail(rowid, subject, body) SELECT i, 'subject ' || i, 'word' || i || ' text' FROM n;
      \(numbers) INSERT INTO old(docid, body) SELECT i, 'word' || i || ' text' FROM n;
      """,
    statements: [
      "SELECT * FROM mail WHERE mail MATCH 'word77'",
      "SELECT * FROM mail WHERE mail MATCH 'text' LIMIT 5",
      "SELECT * FROM mail WHERE body MATCH 'word9*'",
      "SELECT rowid FROM mail WHERE mail MATCH 'word7' ORDER BY rank",
      "SELECT * FROM mail WHERE rowid = 5", "SELECT * FROM mail WHERE rowid > 4990",
      "SELECT * FROM mail WHERE body LIKE '%77 %'",
      "SELECT * FROM mail WHERE subject = 'subject 9'",
      "SELECT count(*) FROM mail", "SELECT max(subject) FROM mail", "SELECT * FROM mail",
      "SELECT * FROM mail LIMIT 3",
      "SELECT rowid FROM mail WHERE length(body) > 100",
      "SELECT subject FROM mail ORDER BY subject LIMIT 5",
      "SELECT * FROM old WHERE old MATCH 'word77'", "SELECT * FROM old WHERE body LIKE '%77 %'",
      "SELECT * FROM old WHERE docid = 6", "SELECT count(*) FROM old WHERE body = 'x'",
      "SELECT * FROM old",
      "DELETE FROM mail WHERE rowid = 9",
    ])

  static let boxes = VerdictSchema(
    name: "boxes",
    setUp: """
      CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1);
      CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT);
      \(numbers) INSERT INTO box SELECT i, i, i + 1, i % 100, i % 100 + 1 FROM n;
      \(numbers) INSERT INTO place SELECT i, 'place ' || i FROM n;
      """,
    statements: [
      "SELECT * FROM box WHERE x0 > 100 AND x1 < 120", "SELECT * FROM box WHERE id = 7",
      "SELECT * FROM box", "SELECT count(*) FROM box", "SELECT max(x0) FROM box",
      "SELECT * FROM box LIMIT 4",
      "SELECT * FROM box WHERE x0 + 0 = 9", "SELECT * FROM box WHERE x1 - x0 > 5",
      "SELECT sum(y0) FROM box",
      "SELECT p.name FROM box b JOIN place p ON p.id = b.id WHERE b.x0 >= 10 AND b.x1 <= 30",
      "SELECT p.name FROM box b JOIN place p ON p.id = b.id WHERE p.name = 'place 4'",
      "SELECT * FROM box WHERE y0 BETWEEN 5 AND 5.5 AND x0 < 200",
      "SELECT y0, count(*) FROM box GROUP BY y0",
      "SELECT * FROM place WHERE id IN (SELECT id FROM box WHERE x0 > 4990)",
    ])

  static let jsonValues = VerdictSchema(
    name: "json values",
    setUp: """
      CREATE TABLE doc(id INTEGER PRIMARY KEY, tags TEXT, body TEXT);
      CREATE INDEX doc_body ON doc(body);
      \(numbers) INSERT INTO doc SELECT i, '["t' || i % 50 || '","u"]', 'body ' || i FROM n LIMIT 2000;
      """,
    statements: [
      "SELECT value FROM json_each('[1,2,3]')",
      "SELECT value FROM json_each('[1,2,3]') WHERE value = 2",
      "SELECT * FROM doc WHERE id IN (SELECT value FROM json_each('[1,2,3]'))",
      "SELECT * FROM doc WHERE body IN (SELECT value FROM json_each('[\"body 3\"]'))",
      "SELECT doc.id FROM doc, json_each(doc.tags) WHERE json_each.value = 't3'",
      "SELECT doc.id FROM doc, json_each(doc.tags) WHERE doc.id = 4",
      "SELECT DISTINCT json_each.value FROM doc, json_each(doc.tags)",
      "SELECT * FROM doc WHERE EXISTS (SELECT 1 FROM json_each(doc.tags) WHERE value = 't7')",
      "SELECT * FROM json_each('[1]') j JOIN doc ON doc.id = j.value",
      "SELECT * FROM json_tree('{\"a\":[1,2]}')",
      "SELECT * FROM doc WHERE json_extract(tags, '$[0]') = 't9'",
      "SELECT json_group_array(id) FROM doc WHERE id < 20",
      "SELECT json_group_array(body) FROM doc",
      "SELECT name FROM pragma_table_info('doc')", "SELECT * FROM doc LIMIT 1",
    ])

  static let commonTables = VerdictSchema(
    name: "common tables",
    setUp: """
      CREATE TABLE node(id INTEGER PRIMARY KEY, parent INT, label TEXT);
      CREATE TABLE tree(id INTEGER PRIMARY KEY, parent INT, label TEXT);
      CREATE INDEX tree_parent ON tree(parent);
      \(numbers) INSERT INTO node SELECT i, i / 3, 'n' || i FROM n;
      INSERT INTO tree SELECT * FROM node;
      """,
    statements: [
      "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 3000) SELECT x FROM r",
      "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 3000) SELECT sum(x) FROM r",
      "WITH RECURSIVE d(id) AS (SELECT 40 UNION ALL SELECT n.id FROM node n JOIN d ON n.parent = d.id) SELECT * FROM d",
      "WITH RECURSIVE d(id) AS (SELECT 40 UNION ALL SELECT t.id FROM tree t JOIN d ON t.parent = d.id) SELECT * FROM d",
      "WITH RECURSIVE u(id) AS (SELECT 4000 UNION ALL SELECT parent FROM node, u WHERE node.id = u.id) SELECT * FROM u",
      "WITH a AS (SELECT * FROM node WHERE label = 'n4') SELECT * FROM a",
      "WITH a AS (SELECT * FROM node WHERE id < 10) SELECT * FROM a WHERE label = 'n4'",
      "WITH a AS (SELECT * FROM node) SELECT * FROM a",
      "WITH a AS (SELECT * FROM node) SELECT * FROM a WHERE id = 4",
      "WITH a AS (SELECT parent, count(*) c FROM node GROUP BY parent) SELECT * FROM a WHERE c = 1",
      "WITH a AS (SELECT parent, count(*) c FROM tree GROUP BY parent) SELECT * FROM a LIMIT 2",
      "WITH a AS MATERIALIZED (SELECT * FROM node) SELECT * FROM a WHERE label = 'n3'",
      "WITH a AS (SELECT id FROM node WHERE id < 30) SELECT * FROM a x JOIN a y ON x.id = y.id",
      "WITH a(id) AS (VALUES (1), (2)) SELECT * FROM a JOIN node USING (id)",
      "WITH a AS (SELECT id FROM tree WHERE parent = 9) SELECT count(*) FROM a",
      "WITH a AS (SELECT id FROM node WHERE parent = 9) SELECT count(*) FROM a",
      "WITH a AS (SELECT * FROM node ORDER BY label LIMIT 3) SELECT * FROM a",
      "SELECT * FROM node n JOIN node m ON m.parent = n.id WHERE n.id = 7",
      "SELECT * FROM tree n JOIN tree m ON m.parent = n.id WHERE n.id = 7",
      "SELECT * FROM node n JOIN node m ON m.label = n.label",
    ])

  static let windows = VerdictSchema(
    name: "windows",
    setUp: """
      CREATE TABLE sale(id INTEGER PRIMARY KEY, shop INT, day INT, sum REAL);
      CREATE INDEX sale_shop_day ON sale(shop, day);
      \(numbers) INSERT INTO sale SELECT i, i % 20, i, i % 31 FROM n;
      """,
    statements: [
      "SELECT id, row_number() OVER (ORDER BY sum) FROM sale",
      "SELECT id, row_number() OVER (ORDER BY sum) FROM sale LIMIT 3",
      "SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY shop ORDER BY day) r FROM sale) WHERE r = 1",
      "SELECT id, sum(sum) OVER (PARTITION BY shop) FROM sale WHERE shop = 3",
      "SELECT id, lag(sum) OVER (ORDER BY id) FROM sale WHERE id < 20",
      "SELECT shop, avg(sum) OVER (PARTITION BY shop) FROM sale",
      "SELECT DISTINCT shop, max(sum) OVER (PARTITION BY shop) FROM sale",
      "SELECT rank() OVER w, id FROM sale WHERE shop = 5 WINDOW w AS (ORDER BY sum)",
      "SELECT * FROM (SELECT *, ntile(4) OVER (ORDER BY sum) q FROM sale) WHERE q = 1 AND shop = 2",
      "SELECT first_value(id) OVER (ORDER BY day) FROM sale WHERE day = 8",
      "SELECT count(*) FILTER (WHERE sum > 3) FROM sale",
      "SELECT shop, count(*) FROM sale WHERE shop = 4",
      "SELECT max(day) FROM sale WHERE shop = 9", "SELECT shop, max(day) FROM sale GROUP BY shop",
    ])

  static let triggersAndKeys = VerdictSchema(
    name: "triggers and keys",
    setUp: """
      CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE book(id INTEGER PRIMARY KEY, author INT REFERENCES author(id), title TEXT);
      CREATE TABLE review(id INTEGER PRIMARY KEY, book INT REFERENCES book(id) ON DELETE CASCADE, stars INT);
      CREATE INDEX review_book ON review(book);
      CREATE TABLE label(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE tagged(id INTEGER PRIMARY KEY, label INT, book INT);
      CREATE TABLE log(id INTEGER PRIMARY KEY, what TEXT, n INT);
      \(numbers) INSERT INTO author SELECT i, 'author ' || i FROM n LIMIT 1000;
      \(numbers) INSERT INTO book SELECT i, i % 500 + 1, 'book ' || i FROM n LIMIT 3000;
      \(numbers) INSERT INTO review SELECT i, i % 2000 + 1, i % 5 FROM n;
      \(numbers) INSERT INTO label SELECT i, 'label ' || i FROM n LIMIT 100;
      \(numbers) INSERT INTO tagged SELECT i, i % 100, i FROM n;
      \(numbers) INSERT INTO log SELECT i, 'x', i FROM n;
      CREATE TRIGGER label_gone AFTER DELETE ON label BEGIN DELETE FROM tagged WHERE label = old.id; END;
      CREATE TRIGGER label_new AFTER INSERT ON label BEGIN INSERT INTO log(what) VALUES (new.name); END;
      CREATE TRIGGER label_changed AFTER UPDATE OF name ON label BEGIN
        UPDATE log SET n = n + 1 WHERE what = new.name; END;
      CREATE TRIGGER review_changed AFTER UPDATE ON review BEGIN UPDATE book SET title = title WHERE id = new.book; END;
      """,
    statements: [
      "DELETE FROM author WHERE id = 990", "DELETE FROM book WHERE id = 2500",
      "DELETE FROM book WHERE id = 5",
      "DELETE FROM review WHERE id = 4", "DELETE FROM review WHERE book = 4",
      "DELETE FROM review WHERE stars = 9",
      "UPDATE author SET name = 'x' WHERE id = 3", "UPDATE author SET id = 5000 WHERE id = 995",
      "UPDATE book SET author = 7 WHERE id = 9", "UPDATE book SET title = 'y' WHERE author = 7",
      "UPDATE review SET stars = 1 WHERE id = 7", "UPDATE review SET stars = 1 WHERE stars = 40",
      "DELETE FROM label WHERE id = 4", "INSERT INTO label(name) VALUES ('new')",
      "UPDATE label SET name = 'z' WHERE id = 8", "UPDATE label SET id = 800 WHERE id = 8",
      "INSERT INTO book(author, title) VALUES (3, 'new')",
      "INSERT INTO review(book, stars) VALUES (3, 4)",
      "INSERT INTO review(book, stars) SELECT id, 3 FROM book",
      "INSERT INTO log(what) SELECT name FROM author WHERE name = 'author 4'",
      "DELETE FROM tagged WHERE id = 8", "DELETE FROM log", "DELETE FROM log WHERE n = 40",
    ])

  static let writes = VerdictSchema(
    name: "writes",
    setUp: """
      CREATE TABLE entry(id INTEGER PRIMARY KEY, code TEXT UNIQUE, hits INT, state INT);
      CREATE TABLE archive(id INTEGER PRIMARY KEY, code TEXT, hits INT);
      CREATE INDEX entry_hits ON entry(hits);
      \(numbers) INSERT INTO entry SELECT i, 'code ' || i, i % 250, i % 4 FROM n;
      """,
    statements: [
      "UPDATE entry SET hits = hits + 1 WHERE id = 5",
      "UPDATE entry SET hits = hits + 1 WHERE code = 'code 5'",
      "UPDATE entry SET hits = 0 WHERE hits = 200", "UPDATE entry SET state = 1",
      "UPDATE entry SET state = 9 WHERE state = 2",
      "UPDATE entry SET state = 9 WHERE state = 77",
      "UPDATE entry SET code = upper(code) WHERE code LIKE '%77'",
      "DELETE FROM entry", "DELETE FROM entry WHERE id > 4990",
      "DELETE FROM entry WHERE code = 'code 4'",
      "DELETE FROM entry WHERE state = 7", "DELETE FROM entry WHERE hits < 3",
      "DELETE FROM entry WHERE state IN (0, 1, 2)",
      "DELETE FROM entry WHERE id IN (SELECT id FROM entry WHERE state = 77)",
      "INSERT INTO archive SELECT id, code, hits FROM entry",
      "INSERT INTO archive SELECT id, code, hits FROM entry WHERE state = 9",
      "INSERT INTO archive SELECT id, code, hits FROM entry WHERE hits = 9",
      "INSERT INTO archive(code) VALUES ('a'), ('b')",
      "INSERT INTO archive(hits) SELECT count(*) FROM entry WHERE state = 1",
      "INSERT INTO entry(code, hits) VALUES ('code 7', 1) ON CONFLICT(code) DO UPDATE SET hits = hits + 1",
      "INSERT OR REPLACE INTO entry(code, hits) VALUES ('code 9', 1)",
      "REPLACE INTO entry(id, code) VALUES (5, 'five')",
      "INSERT OR IGNORE INTO entry(code) VALUES ('code 9')",
      "UPDATE entry SET hits = (SELECT max(id) FROM entry) WHERE id = 1",
      "UPDATE entry SET hits = (SELECT count(*) FROM entry e WHERE e.state = entry.state) WHERE id < 4",
      "UPDATE entry SET state = a.hits FROM archive a WHERE a.id = entry.id",
      "DELETE FROM entry WHERE code = 'code 8' RETURNING id", "DELETE FROM archive",
      "UPDATE entry SET hits = 1 WHERE rowid = 8 RETURNING *",
    ])

  static let coreData = VerdictSchema(
    name: "core data",
    setUp: """
      CREATE TABLE ZSTOP(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLONGITUDE REAL, ZLATITUDE REAL, ZNAME VARCHAR);
      CREATE TABLE ZSTOPTIME(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSTOP INTEGER, ZDEPARTURETIME INTEGER);
      CREATE INDEX ZSTOP_ZLONGITUDE ON ZSTOP(ZLONGITUDE);
      \(numbers) INSERT INTO ZSTOP SELECT i, 1, 1, 13 + i / 5000.0, 52 + i % 70 / 70.0, 'Stop ' || i FROM n;
      \(numbers) INSERT INTO ZSTOPTIME SELECT i, 2, 1, i % 1000 + 1, i FROM n;
      """,
    statements: [
      "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZSTOP t0",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = 'Stop 9' LIMIT 1",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE ( t0.ZLONGITUDE >= 13.5 AND  t0.ZLONGITUDE <= 13.51)",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE ( t0.ZLATITUDE >= 52.5 AND  t0.ZLATITUDE <= 52.51)",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE NSCoreDataStringSearch( t0.ZNAME, 'op 99', 129, 0)",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE NSCoreDataStringSearch( t0.ZNAME, 'stop', 393, 0)",
      "SELECT COUNT( t0.Z_PK) FROM ZSTOP t0",
      "SELECT COUNT( t0.Z_PK) FROM ZSTOP t0 WHERE  t0.ZLATITUDE > 52.5",
      "SELECT max( t0.ZLONGITUDE) FROM ZSTOP t0", "SELECT min( t0.ZLATITUDE) FROM ZSTOP t0",
      "SELECT 0, t0.Z_PK, t0.ZDEPARTURETIME FROM ZSTOPTIME t0 WHERE  t0.ZSTOP = 5",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.Z_PK = 7",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 ORDER BY t0.ZNAME LIMIT 50",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 ORDER BY t0.ZLONGITUDE LIMIT 50",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP) ) > 5",
      "SELECT DISTINCT t0.Z_PK FROM ZSTOP t0 JOIN ZSTOPTIME t1 ON t0.Z_PK = t1.ZSTOP WHERE  t1.ZDEPARTURETIME = 7",
      "SELECT t0.ZNAME, COUNT( t1.Z_PK) FROM ZSTOP t0 LEFT OUTER JOIN ZSTOPTIME t1 ON t0.Z_PK = t1.ZSTOP GROUP BY t0.Z_PK",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = 'none'",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 LIMIT 50 OFFSET 3000",
    ])
}
