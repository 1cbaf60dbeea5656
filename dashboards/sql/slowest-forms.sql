-- The forms of statements that take most time over all hosts.
SELECT form, summary, count(DISTINCT host) AS hosts, sum(runs) AS all_runs,
  sum(total_ns) AS all_ns, max(max_ns) AS longest_ns
FROM sums
WHERE form <> '0000000000000000'
GROUP BY form, summary
ORDER BY all_ns DESC, form
LIMIT 20;
