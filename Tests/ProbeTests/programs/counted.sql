CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
INSERT INTO t(b) VALUES('x'), ('y'), ('z');
BEGIN; UPDATE t SET b = 'q' WHERE a = 2; COMMIT;
SELECT * FROM t WHERE a > 1;
SELECT count(*) FROM t;
SELECT 'counts', 8, 4;
