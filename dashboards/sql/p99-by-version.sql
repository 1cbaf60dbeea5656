-- The 99th percentile of all runs by release, from the buckets of all hosts: the upper end of its bucket.
WITH totals AS (
  SELECT version, sum(runs) AS total FROM buckets GROUP BY version),
steps AS (
  SELECT version, upper_ns, sum(runs) AS bucket_runs FROM buckets GROUP BY version, upper_ns),
cumulative AS (
  SELECT version, upper_ns,
    sum(bucket_runs) OVER (PARTITION BY version ORDER BY upper_ns) AS up_to
  FROM steps)
SELECT cumulative.version AS release, totals.total AS all_runs,
  min(cumulative.upper_ns) AS p99_ns
FROM cumulative JOIN totals ON cumulative.version = totals.version
WHERE cumulative.up_to * 100 >= totals.total * 99
GROUP BY cumulative.version, totals.total
ORDER BY release;
