-- Forms whose plan is not the same everywhere: another version of SQLite, or an index that is missing.
SELECT form, summary, plan, min(sqlite_version) AS oldest_sqlite, max(sqlite_version) AS newest_sqlite,
  count(DISTINCT host) AS hosts, min(host) AS one_host, sum(fullscan_steps) AS all_fullscan_steps
FROM sums
WHERE plan <> '' AND form IN (
  SELECT form FROM sums WHERE plan <> '' GROUP BY form HAVING count(DISTINCT plan) > 1)
GROUP BY form, summary, plan
ORDER BY form, plan;
