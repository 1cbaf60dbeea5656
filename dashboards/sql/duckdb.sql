-- The tables of `trace-report export … --format rows -o rows`, for DuckDB.
-- Documentation/schemas/rows-*.json describes them. Run it where the folder rows/ is.
CREATE VIEW events AS SELECT * FROM read_json('rows/events/*/*/*.jsonl',
  format = 'newline_delimited', hive_partitioning = false, columns = {
    schema_version: 'BIGINT', date: 'VARCHAR', host: 'VARCHAR', version: 'VARCHAR',
    labels: 'VARCHAR', time_ns: 'BIGINT', process: 'VARCHAR', pid: 'BIGINT', tid: 'BIGINT',
    event: 'VARCHAR', kind: 'VARCHAR', database: 'VARCHAR', sqlite_version: 'VARCHAR',
    form: 'VARCHAR', summary: 'VARCHAR', entity: 'VARCHAR', relationship: 'VARCHAR',
    caller_file: 'VARCHAR', caller_line: 'BIGINT', duration_ns: 'BIGINT', wait_ns: 'BIGINT',
    step_ns: 'BIGINT', rows: 'BIGINT', changes: 'BIGINT', vm_steps: 'BIGINT',
    fullscan_steps: 'BIGINT', sorts: 'BIGINT', autoindex_rows: 'BIGINT', wal_bytes: 'BIGINT',
    wal_frames: 'BIGINT', gave_up: 'BIGINT', error: 'VARCHAR', measured: 'VARCHAR'
  });
CREATE VIEW sums AS SELECT * FROM read_json('rows/sums/*/*/*.jsonl',
  format = 'newline_delimited', hive_partitioning = false, columns = {
    schema_version: 'BIGINT', date: 'VARCHAR', host: 'VARCHAR', version: 'VARCHAR',
    labels: 'VARCHAR', database: 'VARCHAR', sqlite_version: 'VARCHAR', form: 'VARCHAR',
    plan: 'VARCHAR', summary: 'VARCHAR', sql: 'VARCHAR', other_forms: 'BIGINT', runs: 'BIGINT',
    rows: 'BIGINT', errors: 'BIGINT', changes: 'BIGINT', cache_misses: 'BIGINT',
    vm_steps: 'BIGINT', fullscan_steps: 'BIGINT', sorts: 'BIGINT', autoindex_rows: 'BIGINT',
    wait_ns: 'BIGINT', step_ns: 'BIGINT', total_ns: 'BIGINT', max_ns: 'BIGINT', measured: 'VARCHAR'
  });
CREATE VIEW buckets AS SELECT * FROM read_json('rows/buckets/*/*/*.jsonl',
  format = 'newline_delimited', hive_partitioning = false, columns = {
    schema_version: 'BIGINT', date: 'VARCHAR', host: 'VARCHAR', version: 'VARCHAR',
    labels: 'VARCHAR', database: 'VARCHAR', sqlite_version: 'VARCHAR', form: 'VARCHAR',
    plan: 'VARCHAR', upper_ns: 'BIGINT', runs: 'BIGINT'
  });
CREATE VIEW loops AS SELECT * FROM read_json('rows/loops/*/*/*.jsonl',
  format = 'newline_delimited', hive_partitioning = false, columns = {
    schema_version: 'BIGINT', date: 'VARCHAR', host: 'VARCHAR', version: 'VARCHAR',
    labels: 'VARCHAR', parent: 'VARCHAR', parent_file: 'VARCHAR', parent_line: 'BIGINT',
    child: 'VARCHAR', child_file: 'VARCHAR', child_line: 'BIGINT', occurrences: 'BIGINT',
    parent_rows: 'BIGINT', runs: 'BIGINT', time_ns: 'BIGINT'
  });
CREATE VIEW locks AS SELECT * FROM read_json('rows/locks/*/*/*.jsonl',
  format = 'newline_delimited', hive_partitioning = false, columns = {
    schema_version: 'BIGINT', date: 'VARCHAR', host: 'VARCHAR', version: 'VARCHAR',
    labels: 'VARCHAR', database: 'VARCHAR', waiter_process: 'VARCHAR', waiter_file: 'VARCHAR',
    waiter_line: 'BIGINT', holder_process: 'VARCHAR', holder_kind: 'VARCHAR',
    holder_file: 'VARCHAR', holder_line: 'BIGINT', waits: 'BIGINT', failures: 'BIGINT',
    wait_ns: 'BIGINT', longest_ns: 'BIGINT'
  });
