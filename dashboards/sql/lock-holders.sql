-- Lines of code that hold the lock for which others wait.
SELECT holder_process, holder_file, holder_line, holder_kind, waiter_file, waiter_line,
  sum(waits) AS all_waits, sum(failures) AS all_failures, sum(wait_ns) AS all_ns,
  max(longest_ns) AS max_ns
FROM locks
GROUP BY holder_process, holder_file, holder_line, holder_kind, waiter_file, waiter_line
ORDER BY all_ns DESC, holder_file, holder_line, waiter_file, waiter_line;
