// SPDX-License-Identifier: Apache-2.0

// The events of the probe: see Documentation/Vocabulary.md. Times are in nanoseconds.

#ifndef storescope_events_h
#define storescope_events_h

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Whether a session accepted an event. LTTng evaluates the fields of an event first for the filter of
// a session, from the first field to the last, and again if the session takes the event.
struct delivery {
  bool is_accepted;
  bool was_accepted;
};

struct connection_opened {
  uint64_t connection_id;
  const char *path;
  const char *vfs;
  uint64_t flags;
  const char *sqlite_version;
  const char *sqlite_path;
  const char *way;
  uint64_t device;
  uint64_t inode;
  int64_t process_start_ns;
  const char *process_name;
};

struct announced_statement {
  uint64_t store_id;
  uint64_t statement_id;
  const char *sql;
  struct delivery *delivery;
};

struct caller {
  uint64_t caller_id;
  const char *language;
  const char *file;
  uint64_t line;
  const char *function;
  const char *frames;
};

struct statement_run {
  uint64_t connection_id;
  uint64_t statement_id;
  uint64_t run_id;
  uint64_t transaction_id;
  uint64_t caller_id;
  uint64_t bind_hash;
  int64_t step_ns;
  int64_t open_ns;
  uint64_t rows;
  uint64_t changes;
  uint64_t readonly;
  uint64_t vm_steps;
  uint64_t fullscan_steps;
  uint64_t sorts;
  uint64_t autoindex_rows;
  uint64_t memory;
  uint64_t reprepares;
  uint64_t filter_hits;
  uint64_t filter_misses;
  uint64_t timed_steps;
  const char *error;
  struct delivery *delivery;
};

struct transaction {
  uint64_t store_id;
  uint64_t save_id;
  const char *outcome;
  int64_t wait_ns;
  int64_t total_ns;
  uint64_t transaction_id;
  const char *kind;
  int64_t writer_ns;
  uint64_t statements;
  int64_t idle_ns;
  uint64_t log_bytes;
};

struct statement_io {
  uint64_t store_id;
  uint64_t run_id;
  uint64_t cache_hits;
  uint64_t cache_misses;
  uint64_t reads;
  uint64_t read_bytes;
  int64_t read_ns;
  uint64_t writes;
  uint64_t write_bytes;
  int64_t write_ns;
  uint64_t syncs;
  int64_t sync_ns;
  int64_t checkpoint_ns;
};

struct commit_io {
  uint64_t store_id;
  uint64_t transaction_id;
  uint64_t save_id;
  int64_t wait_ns;
  int64_t body_ns;
  int64_t log_ns;
  int64_t file_ns;
  int64_t sync_ns;
  int64_t checkpoint_ns;
  int64_t commit_ns;
  int64_t total_ns;
  uint64_t changes;
  uint64_t log_writes;
  uint64_t file_writes;
  uint64_t syncs;
  uint64_t checkpoints;
  uint64_t checkpoint_writes;
  uint64_t checkpoint_syncs;
};

// One field of an event, for the log.
struct field {
  const char *name;
  enum { FIELD_UNSIGNED, FIELD_SIGNED, FIELD_TEXT } type;
  uint64_t number;
  const char *text;
};

// The tracepoints, in a separate library that is loaded with the first connection.
struct tracepoints {
  // The states of the tracepoint `statement_run`: any other value than 0 is on.
  const int *run_state;
  void (*opened)(const struct connection_opened *);
  void (*closed)(uint64_t connection_id);
  // This one and `run` return whether a session accepted the event; `statement` also if none has it
  // enabled.
  bool (*statement)(const struct announced_statement *);
  void (*caller)(const struct caller *);
  bool (*run)(const struct statement_run *);
  void (*transaction)(const struct transaction *);
  void (*busy)(uint64_t store_id, uint64_t attempts, int64_t wait_ns, uint64_t gave_up);
  void (*checkpoint)(uint64_t store_id, const char *mode, uint64_t log_frames,
                     uint64_t checkpointed_frames, int64_t total_ns);
  void (*values)(uint64_t store_id, uint64_t statement_id, const char *values);
  void (*counters)(uint64_t events);
  void (*copy_not_observed)(const char *path, const char *version, const char *reason);
  void (*statement_io)(const struct statement_io *);
  void (*commit_io)(const struct commit_io *);
  // Call `real`, except for LTTng's own descriptors.
  int (*close)(int descriptor, int (*real)(int));
  int (*close_file)(FILE *file, int (*real)(FILE *));
  int (*close_from)(int first, int (*real)(int));
  // Around fork(): LTTng's own threads do not survive it.
  void (*before_fork)(void *signals);
  void (*after_fork_parent)(void *signals);
  void (*after_fork_child)(void *signals);
};

#endif
