-- The tables of `trace-report export … --format rows -o rows`, for Spark.
-- Documentation/schemas/rows-*.json describes them. Run it where the folder rows/ is.
CREATE TEMPORARY VIEW events (
    schema_version BIGINT, date STRING, host STRING, version STRING, labels STRING, time_ns BIGINT,
    process STRING, pid BIGINT, tid BIGINT, event STRING, kind STRING, database STRING,
    sqlite_version STRING, form STRING, summary STRING, entity STRING, relationship STRING,
    caller_file STRING, caller_line BIGINT, duration_ns BIGINT, wait_ns BIGINT, step_ns BIGINT,
    rows BIGINT, changes BIGINT, vm_steps BIGINT, fullscan_steps BIGINT, sorts BIGINT,
    autoindex_rows BIGINT, wal_bytes BIGINT, wal_frames BIGINT, gave_up BIGINT, error STRING, measured STRING
  ) USING json OPTIONS (path 'rows/events', recursiveFileLookup 'true', pathGlobFilter '*.jsonl');
CREATE TEMPORARY VIEW sums (
    schema_version BIGINT, date STRING, host STRING, version STRING, labels STRING,
    database STRING, sqlite_version STRING, form STRING, plan STRING, summary STRING, sql STRING,
    other_forms BIGINT, runs BIGINT, rows BIGINT, errors BIGINT, changes BIGINT,
    cache_misses BIGINT, vm_steps BIGINT, fullscan_steps BIGINT, sorts BIGINT,
    autoindex_rows BIGINT, wait_ns BIGINT, step_ns BIGINT, total_ns BIGINT, max_ns BIGINT, measured STRING
  ) USING json OPTIONS (path 'rows/sums', recursiveFileLookup 'true', pathGlobFilter '*.jsonl');
CREATE TEMPORARY VIEW buckets (
    schema_version BIGINT, date STRING, host STRING, version STRING, labels STRING,
    database STRING, sqlite_version STRING, form STRING, plan STRING, upper_ns BIGINT, runs BIGINT
  ) USING json OPTIONS (path 'rows/buckets', recursiveFileLookup 'true', pathGlobFilter '*.jsonl');
CREATE TEMPORARY VIEW loops (
    schema_version BIGINT, date STRING, host STRING, version STRING, labels STRING, parent STRING,
    parent_file STRING, parent_line BIGINT, child STRING, child_file STRING, child_line BIGINT,
    occurrences BIGINT, parent_rows BIGINT, runs BIGINT, time_ns BIGINT
  ) USING json OPTIONS (path 'rows/loops', recursiveFileLookup 'true', pathGlobFilter '*.jsonl');
CREATE TEMPORARY VIEW locks (
    schema_version BIGINT, date STRING, host STRING, version STRING, labels STRING,
    database STRING, waiter_process STRING, waiter_file STRING, waiter_line BIGINT,
    holder_process STRING, holder_kind STRING, holder_file STRING, holder_line BIGINT,
    waits BIGINT, failures BIGINT, wait_ns BIGINT, longest_ns BIGINT
  ) USING json OPTIONS (path 'rows/locks', recursiveFileLookup 'true', pathGlobFilter '*.jsonl');
