-- Forms that step through rows without an index, by release: a new one has no row of the release before.
SELECT version, form, summary, sum(runs) AS all_runs, sum(fullscan_steps) AS all_fullscan_steps,
  count(DISTINCT host) AS hosts
FROM sums
WHERE fullscan_steps > 0
GROUP BY version, form, summary
ORDER BY version, all_fullscan_steps DESC, form;
