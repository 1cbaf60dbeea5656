// SPDX-License-Identifier: Apache-2.0

extension VerdictSchema {
  /// Numbers from 1 to 5,000.
  static let numbers = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)"

  static let shop = VerdictSchema(
    name: "shop",
    setUp: """
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, kind INT, stock INT, note);
      CREATE INDEX item_price ON item(price);
      CREATE INDEX item_kind_stock ON item(kind, stock);
      \(numbers) INSERT INTO item SELECT i, 'item ' || i, i * 1.5, i % 10, i % 97, NULL FROM n;
      """,
    statements: [
      "SELECT * FROM item WHERE name = 'item 7'",
      "SELECT * FROM item WHERE name = 'item 7' LIMIT 1",
      "SELECT * FROM item WHERE name = 'item 4990' LIMIT 1",
      "SELECT * FROM item WHERE name = 'nothing' LIMIT 1",
      "SELECT * FROM item",
      "SELECT id FROM item",
      "SELECT name FROM item WHERE stock < 90",
      "SELECT name FROM item WHERE stock = 5",
      "SELECT * FROM item WHERE price = 150",
      "SELECT * FROM item WHERE price BETWEEN 100 AND 200",
      "SELECT * FROM item WHERE id = 5",
      "SELECT * FROM item WHERE id IN (5, 6, 7)",
      "SELECT * FROM item WHERE id > 4990",
      "SELECT * FROM item WHERE kind = 3",
      "SELECT * FROM item WHERE kind = 3 AND stock = 5",
      "SELECT * FROM item WHERE name LIKE '%99'",
      "SELECT * FROM item WHERE name LIKE 'item%'",
      "SELECT * FROM item WHERE name GLOB 'item 49*'",
      "SELECT * FROM item ORDER BY price LIMIT 5",
      "SELECT * FROM item ORDER BY name LIMIT 5",
      "SELECT * FROM item ORDER BY name",
      "SELECT * FROM item ORDER BY price, id LIMIT 20",
      "SELECT * FROM item ORDER BY kind, stock LIMIT 5",
      "SELECT * FROM item ORDER BY kind, stock, name LIMIT 5",
      "SELECT * FROM item LIMIT 10",
      "SELECT * FROM item LIMIT 10 OFFSET 50",
      "SELECT * FROM item LIMIT 5 OFFSET 4900",
      "SELECT * FROM item LIMIT 4900, 5",
      "SELECT * FROM item ORDER BY price LIMIT 5 OFFSET 4900",
      "SELECT * FROM item ORDER BY id LIMIT 5 OFFSET 3000",
      "SELECT * FROM item LIMIT -1",
      "SELECT * FROM item WHERE 1 = 0",
      "SELECT count(*) FROM item",
      "SELECT count(*) FROM item WHERE note IS NULL",
      "SELECT count(name) FROM item",
      "SELECT count(*) FROM item WHERE stock = 4",
      "SELECT count(*) FROM item WHERE price > 100",
      "SELECT count(*) FROM item WHERE kind = 4",
      "SELECT sum(stock) FROM item",
      "SELECT sum(stock) FROM item WHERE stock BETWEEN 10 AND 20",
      "SELECT avg(price) FROM item",
      "SELECT total(stock) FROM item WHERE kind = 2",
      "SELECT min(price) FROM item",
      "SELECT max(price) FROM item",
      "SELECT min(name) FROM item",
      "SELECT max(name) FROM item",
      "SELECT max(stock) FROM item WHERE kind = 3",
      "SELECT max(id) FROM item",
      "SELECT min(price), max(price) FROM item",
      "SELECT max(length(name)) FROM item",
      "SELECT kind, count(*) FROM item GROUP BY kind",
      "SELECT stock, sum(price) FROM item GROUP BY stock",
      "SELECT name, count(*) FROM item GROUP BY name",
      "SELECT DISTINCT kind FROM item",
      "SELECT DISTINCT stock FROM item",
      "SELECT DISTINCT stock FROM item LIMIT 3",
      "SELECT DISTINCT price FROM item LIMIT 3",
      "SELECT EXISTS (SELECT 1 FROM item)",
      "SELECT EXISTS (SELECT 1 FROM item WHERE name = 'item 3')",
      "SELECT EXISTS (SELECT 1 FROM item WHERE name = 'none')",
      "SELECT EXISTS (SELECT 1 FROM item WHERE price = 15)",
      "SELECT * FROM item WHERE price > 10 OR stock = 3",
      "SELECT * FROM item WHERE price = 15 OR id = 3",
      "SELECT * FROM item WHERE price = 15 OR name = 'item 3'",
      "SELECT * FROM item WHERE price + 0 = 15",
      "SELECT * FROM item WHERE abs(price) = 15",
      "SELECT * FROM item WHERE +price = 15",
      "SELECT * FROM item WHERE stock IN (3, 4)",
      "SELECT * FROM item WHERE name IS NOT NULL",
      "SELECT * FROM item WHERE note IS NOT NULL",
      "SELECT * FROM item WHERE price IS NULL",
      "SELECT * FROM item WHERE stock <> 5",
      "SELECT group_concat(name) FROM item WHERE stock = 1",
      "SELECT kind FROM item WHERE stock = 3",
      "SELECT price FROM item WHERE price % 7 = 0",
      "SELECT (SELECT max(price) FROM item), (SELECT min(name) FROM item)",
      "SELECT * FROM item INDEXED BY item_price WHERE price < 30",
      "SELECT * FROM item NOT INDEXED WHERE price = 30",
      "SELECT * FROM item UNION ALL SELECT * FROM item",
      "SELECT kind FROM item UNION SELECT stock FROM item",
      "SELECT 1",
      "VALUES (1), (2), (3)",
    ])

  static let joins = VerdictSchema(
    name: "joins",
    setUp: """
      CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city INT);
      CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer INT, day INT, total REAL);
      CREATE TABLE line(id INTEGER PRIMARY KEY, purchase INT, what INT, amount INT);
      CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT);
      CREATE INDEX line_purchase ON line(purchase);
      \(numbers) INSERT INTO customer SELECT i, 'c' || i, i % 50 FROM n LIMIT 2000;
      \(numbers) INSERT INTO purchase SELECT i, i % 2000, i % 365, i FROM n;
      \(numbers) INSERT INTO line SELECT i, i, i % 30, i % 7 FROM n;
      \(numbers) INSERT INTO city SELECT i, 'city ' || i FROM n LIMIT 50;
      """,
    statements: [
      "SELECT * FROM customer c JOIN purchase p ON p.customer = c.id",
      "SELECT * FROM customer c JOIN purchase p ON p.customer = c.id WHERE c.id = 7",
      "SELECT * FROM purchase p JOIN line l ON l.purchase = p.id WHERE p.id = 9",
      "SELECT * FROM purchase p JOIN line l ON l.purchase = p.id WHERE p.day = 9",
      "SELECT * FROM purchase p JOIN line l ON l.purchase = p.id",
      "SELECT * FROM purchase p LEFT JOIN line l ON l.purchase = p.id WHERE p.id < 20",
      "SELECT * FROM line l JOIN line m ON m.what = l.what WHERE l.id = 4",
      "SELECT * FROM line l JOIN line m ON m.amount = l.what AND m.what = l.amount",
      "SELECT * FROM purchase a JOIN purchase b ON a.total = b.total",
      "SELECT count(*) FROM purchase a JOIN purchase b ON a.day = b.total",
      "SELECT * FROM customer c JOIN city y ON y.id = c.city",
      "SELECT * FROM customer c JOIN city y ON y.id = c.city WHERE y.name = 'city 3'",
      "SELECT * FROM city y JOIN customer c ON c.id = y.id",
      "SELECT * FROM city y CROSS JOIN city z",
      "SELECT count(*) FROM city y CROSS JOIN city z",
      "SELECT * FROM customer WHERE id IN (SELECT customer FROM purchase WHERE day = 3)",
      "SELECT * FROM customer WHERE id IN (SELECT customer FROM purchase WHERE id = 3)",
      "SELECT * FROM customer c WHERE EXISTS (SELECT 1 FROM purchase p WHERE p.customer = c.id)",
      "SELECT * FROM purchase p WHERE EXISTS (SELECT 1 FROM line l WHERE l.purchase = p.id)",
      "SELECT * FROM purchase p WHERE p.id = 3 AND NOT EXISTS (SELECT 1 FROM line l WHERE l.what = p.id)",
      "SELECT c.name, (SELECT count(*) FROM purchase p WHERE p.customer = c.id) FROM customer c WHERE c.id < 10",
      "SELECT p.id, (SELECT count(*) FROM line l WHERE l.purchase = p.id) FROM purchase p WHERE p.id < 50",
      "SELECT p.id, (SELECT sum(amount) FROM line l WHERE l.purchase = p.id) FROM purchase p",
      "SELECT city, count(*) FROM customer GROUP BY city HAVING count(*) > 3",
      "SELECT c.city, sum(p.total) FROM customer c JOIN purchase p ON p.customer = c.id GROUP BY c.city",
      "SELECT * FROM purchase p, line l WHERE l.purchase = p.id AND l.id = 44",
      "SELECT * FROM purchase p JOIN customer c ON c.id = p.customer ORDER BY p.id LIMIT 5",
      "SELECT * FROM purchase p JOIN customer c ON c.id = p.customer ORDER BY c.name LIMIT 5",
      "SELECT * FROM customer NATURAL JOIN city",
      "SELECT * FROM city LEFT JOIN customer ON customer.city = city.id LIMIT 1",
      "SELECT * FROM (SELECT customer, sum(total) t FROM purchase GROUP BY customer) WHERE t > 5000",
      "SELECT * FROM (SELECT * FROM purchase WHERE id < 30) s JOIN line l ON l.purchase = s.id",
      "SELECT total FROM purchase WHERE total > (SELECT avg(total) FROM purchase)",
      "SELECT id FROM purchase WHERE id = (SELECT max(id) FROM purchase)",
      "SELECT id FROM customer EXCEPT SELECT customer FROM purchase",
      "SELECT id FROM customer INTERSECT SELECT id FROM city",
    ])

  static let views = VerdictSchema(
    name: "views",
    setUp: """
      CREATE TABLE reading(id INTEGER PRIMARY KEY, sensor INT, at INT, value REAL);
      CREATE INDEX reading_at ON reading(at);
      CREATE TABLE sensor(id INTEGER PRIMARY KEY, place TEXT);
      \(numbers) INSERT INTO reading SELECT i, i % 40, i, i % 13 FROM n;
      \(numbers) INSERT INTO sensor SELECT i, 'place ' || i FROM n LIMIT 40;
      CREATE VIEW recent AS SELECT * FROM reading WHERE at > 4900;
      CREATE VIEW high AS SELECT id, sensor FROM reading WHERE value > 11;
      CREATE VIEW placed AS SELECT r.id, r.value, s.place FROM reading r JOIN sensor s ON s.id = r.sensor;
      CREATE VIEW means AS SELECT sensor, avg(value) AS mean FROM reading GROUP BY sensor;
      CREATE VIEW everything AS SELECT * FROM reading;
      """,
    statements: [
      "SELECT * FROM recent", "SELECT * FROM recent WHERE value = 5", "SELECT count(*) FROM recent",
      "SELECT * FROM high", "SELECT count(*) FROM high", "SELECT * FROM high LIMIT 3",
      "SELECT * FROM high WHERE id = 12", "SELECT * FROM placed",
      "SELECT * FROM placed WHERE id = 3",
      "SELECT * FROM placed WHERE place = 'place 3'", "SELECT * FROM placed LIMIT 3",
      "SELECT * FROM means", "SELECT * FROM means WHERE sensor = 4",
      "SELECT * FROM means WHERE mean > 100", "SELECT * FROM everything",
      "SELECT * FROM everything WHERE at = 40", "SELECT * FROM everything WHERE value = 40",
      "SELECT max(value) FROM everything", "SELECT max(at) FROM everything",
      "SELECT * FROM recent r JOIN sensor s ON s.id = r.sensor",
      "SELECT * FROM everything ORDER BY value LIMIT 2",
      "SELECT * FROM everything ORDER BY at LIMIT 2",
      "SELECT * FROM everything LIMIT 2 OFFSET 3000",
    ])

  static let withoutRowid = VerdictSchema(
    name: "without rowid",
    setUp: """
      CREATE TABLE pair(a TEXT, b INT, c INT, PRIMARY KEY (a, b)) WITHOUT ROWID;
      CREATE INDEX pair_c ON pair(c);
      CREATE TABLE key(k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID;
      \(numbers) INSERT INTO pair SELECT 'a' || i % 100, i, i % 500 FROM n;
      \(numbers) INSERT INTO key SELECT 'key ' || i, i FROM n;
      """,
    statements: [
      "SELECT * FROM pair", "SELECT * FROM pair WHERE a = 'a5'", "SELECT * FROM pair WHERE b = 5",
      "SELECT * FROM pair WHERE a = 'a5' AND b = 5", "SELECT * FROM pair WHERE c = 77",
      "SELECT count(*) FROM pair", "SELECT count(*) FROM pair WHERE b > 4000",
      "SELECT max(b) FROM pair", "SELECT max(a) FROM pair", "SELECT max(c) FROM pair",
      "SELECT a, count(*) FROM pair GROUP BY a", "SELECT DISTINCT a FROM pair",
      "SELECT DISTINCT a FROM pair LIMIT 2", "SELECT * FROM pair ORDER BY a, b LIMIT 4",
      "SELECT * FROM pair ORDER BY b LIMIT 4", "SELECT * FROM key WHERE k = 'key 7'",
      "SELECT * FROM key WHERE v = 7", "SELECT * FROM key WHERE k LIKE '%77'",
      "SELECT * FROM key WHERE k > 'key 4990'", "SELECT v FROM key LIMIT 1 OFFSET 4000",
      "DELETE FROM key WHERE k = 'key 9'", "DELETE FROM key WHERE v = 9",
      "UPDATE pair SET c = 1 WHERE a = 'a5' AND b = 5", "UPDATE pair SET c = 1 WHERE b = 5",
      "UPDATE pair SET c = c + 1",
    ])

  static let partialIndexes = VerdictSchema(
    name: "partial indexes",
    setUp: """
      CREATE TABLE task(id INTEGER PRIMARY KEY, done INT, owner INT, title TEXT);
      CREATE INDEX task_open ON task(id) WHERE done = 0;
      CREATE INDEX task_owner_open ON task(owner) WHERE done = 0;
      \(numbers) INSERT INTO task SELECT i, i % 13 <> 0, i % 70, 'task ' || i FROM n;
      """,
    statements: [
      "SELECT * FROM task WHERE done = 0", "SELECT count(*) FROM task WHERE done = 0",
      "SELECT id FROM task WHERE done = 0 ORDER BY id", "SELECT id FROM task WHERE done = 1",
      "SELECT count(*) FROM task WHERE done = 1", "SELECT * FROM task WHERE done = 2",
      "SELECT * FROM task WHERE done = 0 AND owner = 5", "SELECT * FROM task WHERE owner = 5",
      "SELECT sum(owner) FROM task WHERE done = 0", "SELECT max(title) FROM task WHERE done = 0",
      "SELECT owner, count(*) FROM task WHERE done = 0 GROUP BY owner",
      "SELECT DISTINCT owner FROM task WHERE done = 0",
      "SELECT title FROM task WHERE title = 'task 9'",
      "UPDATE task SET title = '' WHERE done = 0", "UPDATE task SET title = '' WHERE owner = 3",
      "DELETE FROM task WHERE done = 0 AND owner = 9",
    ])

  static let expressionIndexes = VerdictSchema(
    name: "expression indexes",
    setUp: """
      CREATE TABLE person(id INTEGER PRIMARY KEY, first TEXT, last TEXT, born TEXT, data TEXT,
        initial TEXT GENERATED ALWAYS AS (substr(last, 1, 1)) VIRTUAL);
      CREATE INDEX person_lower ON person(lower(last));
      CREATE INDEX person_year ON person(CAST(substr(born, 1, 4) AS INTEGER));
      CREATE INDEX person_initial ON person(initial);
      \(numbers) INSERT INTO person(id, first, last, born, data)
        SELECT i, 'f' || i % 90, 'Last' || i, 1900 + i % 100 || '-01-01', '{"n":' || i || '}' FROM n;
      """,
    statements: [
      "SELECT * FROM person WHERE lower(last) = 'last7'",
      "SELECT * FROM person WHERE upper(last) = 'LAST7'",
      "SELECT * FROM person WHERE last = 'Last7'", "SELECT * FROM person WHERE lower(first) = 'f7'",
      "SELECT * FROM person WHERE CAST(substr(born, 1, 4) AS INTEGER) = 1950",
      "SELECT * FROM person WHERE substr(born, 1, 4) = '1950'",
      "SELECT count(*) FROM person WHERE CAST(substr(born, 1, 4) AS INTEGER) > 1990",
      "SELECT max(lower(last)) FROM person", "SELECT max(upper(last)) FROM person",
      "SELECT * FROM person ORDER BY lower(last) LIMIT 4",
      "SELECT * FROM person ORDER BY last LIMIT 4",
      "SELECT * FROM person WHERE initial = 'Q'", "SELECT DISTINCT initial FROM person",
      "SELECT * FROM person WHERE json_extract(data, '$.n') = 5",
      "SELECT * FROM person WHERE data ->> 'n' = 5 LIMIT 1",
      "SELECT * FROM person WHERE instr(last, '77') > 0",
      "SELECT last FROM person WHERE length(last) > 0",
    ])

  static let collations = VerdictSchema(
    name: "collations",
    setUp: """
      CREATE TABLE word(id INTEGER PRIMARY KEY, plain TEXT, folded TEXT COLLATE NOCASE, score REAL) STRICT;
      CREATE INDEX word_plain ON word(plain);
      CREATE INDEX word_folded ON word(folded);
      CREATE INDEX word_score ON word(score DESC);
      \(numbers) INSERT INTO word SELECT i, 'Word' || i, 'Word' || i, i % 1000 FROM n;
      """,
    statements: [
      "SELECT * FROM word WHERE plain = 'Word9'",
      "SELECT * FROM word WHERE plain = 'word9' COLLATE NOCASE",
      "SELECT * FROM word WHERE folded = 'word9'", "SELECT * FROM word WHERE folded LIKE 'word99%'",
      "SELECT * FROM word WHERE plain LIKE 'Word99%'",
      "SELECT * FROM word WHERE plain GLOB 'Word99*'",
      "SELECT plain FROM word WHERE plain LIKE '%99'",
      "SELECT count(*) FROM word WHERE folded LIKE '%x'",
      "SELECT * FROM word ORDER BY plain COLLATE NOCASE LIMIT 3",
      "SELECT * FROM word ORDER BY folded LIMIT 3",
      "SELECT * FROM word ORDER BY score DESC LIMIT 3", "SELECT * FROM word ORDER BY score LIMIT 3",
      "SELECT min(folded) FROM word", "SELECT max(plain COLLATE NOCASE) FROM word",
      "SELECT * FROM word WHERE score > 990 ORDER BY score", "SELECT DISTINCT score FROM word",
      "SELECT count(DISTINCT score) FROM word", "SELECT count(DISTINCT plain) FROM word",
    ])

  static let emptyAndSmall = VerdictSchema(
    name: "empty and small",
    setUp: """
      CREATE TABLE vacant(id INTEGER PRIMARY KEY, a, b);
      CREATE TABLE few(id INTEGER PRIMARY KEY, a, b);
      CREATE TABLE some(id INTEGER PRIMARY KEY, a, b);
      CREATE TABLE many(id INTEGER PRIMARY KEY, a, b);
      \(numbers) INSERT INTO few SELECT i, i % 7, 'b' || i FROM n LIMIT 40;
      \(numbers) INSERT INTO some SELECT i, i % 7, 'b' || i FROM n LIMIT 300;
      \(numbers) INSERT INTO many SELECT i, i % 700, 'b' || i FROM n LIMIT 4000;
      """,
    statements: [
      "SELECT * FROM vacant WHERE a = 1", "SELECT max(a) FROM vacant",
      "SELECT * FROM few WHERE a = 1",
      "SELECT sum(a) FROM few", "SELECT * FROM some WHERE b = 'b8'", "SELECT max(b) FROM some",
      "SELECT a, count(*) FROM some GROUP BY a", "SELECT * FROM some s JOIN few f ON f.a = s.a",
      "SELECT count(*) FROM some s JOIN some t ON s.b = t.a",
      "SELECT count(*) FROM few f, few g, few h",
      "SELECT * FROM many WHERE b = 'b8'", "SELECT * FROM many m JOIN vacant n ON n.a = m.a",
      "SELECT * FROM vacant n JOIN many m ON m.a = n.a",
      "SELECT * FROM few f JOIN many m ON m.a = f.a",
      "SELECT * FROM some ORDER BY b LIMIT 3", "SELECT * FROM few WHERE a IN (SELECT a FROM many)",
      "SELECT * FROM many WHERE a IN (SELECT a FROM vacant)", "DELETE FROM some WHERE a = 3",
      "UPDATE few SET a = 3", "DELETE FROM many WHERE b = 'b9'", "SELECT count(*) FROM vacant",
    ])
}
