-- The largest write-ahead log of each database by day, and how many checkpoints and commits it had.
SELECT date, host, database, max(wal_bytes) AS largest_bytes, max(wal_frames) AS most_frames,
  sum(CASE WHEN event = 'checkpoint' THEN 1 ELSE 0 END) AS checkpoints,
  sum(CASE WHEN event = 'transaction' AND error = '' THEN 1 ELSE 0 END) AS commits
FROM events
WHERE event IN ('transaction', 'checkpoint')
GROUP BY date, host, database
ORDER BY largest_bytes DESC, date, host, database;
