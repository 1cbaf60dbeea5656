-- The tables of `trace-report export … --format rows -o rows`, for ClickHouse (clickhouse-local, chdb).
-- Documentation/schemas/rows-*.json describes them. Run it where the folder rows/ is.
CREATE VIEW events AS SELECT * FROM file('rows/events/*/*/*.jsonl', 'JSONEachRow', '
    schema_version Int64, date String, host String, version String, labels String, time_ns Int64,
    process String, pid Int64, tid Int64, event String, kind String, database String,
    sqlite_version String, form String, summary String, entity String, relationship String,
    caller_file String, caller_line Int64, duration_ns Int64, wait_ns Int64, step_ns Int64,
    rows Int64, changes Int64, vm_steps Int64, fullscan_steps Int64, sorts Int64,
    autoindex_rows Int64, wal_bytes Int64, wal_frames Int64, gave_up Int64, error String, measured String
  ');
CREATE VIEW sums AS SELECT * FROM file('rows/sums/*/*/*.jsonl', 'JSONEachRow', '
    schema_version Int64, date String, host String, version String, labels String, database String,
    sqlite_version String, form String, plan String, summary String, sql String, other_forms Int64,
    runs Int64, rows Int64, errors Int64, changes Int64, cache_misses Int64, vm_steps Int64,
    fullscan_steps Int64, sorts Int64, autoindex_rows Int64, wait_ns Int64, step_ns Int64,
    total_ns Int64, max_ns Int64, measured String
  ');
CREATE VIEW buckets AS SELECT * FROM file('rows/buckets/*/*/*.jsonl', 'JSONEachRow', '
    schema_version Int64, date String, host String, version String, labels String, database String,
    sqlite_version String, form String, plan String, upper_ns Int64, runs Int64
  ');
CREATE VIEW loops AS SELECT * FROM file('rows/loops/*/*/*.jsonl', 'JSONEachRow', '
    schema_version Int64, date String, host String, version String, labels String, parent String,
    parent_file String, parent_line Int64, child String, child_file String, child_line Int64,
    occurrences Int64, parent_rows Int64, runs Int64, time_ns Int64
  ');
CREATE VIEW locks AS SELECT * FROM file('rows/locks/*/*/*.jsonl', 'JSONEachRow', '
    schema_version Int64, date String, host String, version String, labels String, database String,
    waiter_process String, waiter_file String, waiter_line Int64, holder_process String,
    holder_kind String, holder_file String, holder_line Int64, waits Int64, failures Int64,
    wait_ns Int64, longest_ns Int64
  ');
