-- Statements that run once for each row of another one (N+1), by release.
SELECT version, parent, child, child_file, child_line, count(DISTINCT host) AS hosts,
  sum(occurrences) AS all_occurrences, sum(runs) AS all_runs, sum(time_ns) AS all_ns
FROM loops
GROUP BY version, parent, child, child_file, child_line
ORDER BY version, all_ns DESC, child_file, child_line, parent, child;
