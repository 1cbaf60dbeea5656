CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO author(name) VALUES ('a; -- no comment');
INSERT INTO author(name) VALUES ('b''s');
BEGIN;
INSERT INTO author(name) VALUES ('c'), ('d');
UPDATE author SET name = 'e' WHERE id = 1;
COMMIT;
SELECT * FROM author WHERE id = 1;
SELECT * FROM author WHERE id = 2;
SELECT count(*)
  FROM author
 WHERE name = 'x';
