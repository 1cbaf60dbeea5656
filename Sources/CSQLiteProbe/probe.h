// SPDX-License-Identifier: Apache-2.0

// Declarations that the files of the probe share.

#ifndef storescope_probe_h
#define storescope_probe_h

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events.h"
#include "sqlite-api.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define EXPORTED __attribute__((visibility("default")))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#pragma GCC visibility push(hidden)

enum way { WAY_GOT, WAY_EXTENSION, WAY_SYMBOLS, WAY_HANDLE };

// One copy of SQLite in this process.
struct copy {
  struct sqlite_api api;
  // The copy's own functions, which the hooks of this copy call.
  struct sqlite_hooked real;
  // The object file that holds it, and where that is mapped: an object that is unloaded and another
  // one mapped in its place is another copy.
  char path[4096];
  const void *base;
  const void *start, *end;
  int version;
  enum way way;
  bool is_used;
};

// 8 is arbitrary: two copies in one process are common, more than three were not seen.
enum { MAX_COPIES = 8 };
extern struct copy copies[MAX_COPIES];

// What a statement changes, by its first word.
enum write { WRITES_NOTHING, WRITES_ROWS, WRITES_SCHEMA, WRITES_OTHERS };

// Whether a statement in autocommit mode changed a database file.
enum effect { EFFECT_UNKNOWN, EFFECT_NONE, EFFECT_FILE };

// One SQL text of the process. Never freed while `is_shared`.
struct text {
  struct text *next;
  uint64_t lookup_hash;
  uint64_t statement_id;
  // When the statement was announced last.
  unsigned generation;
  unsigned uses;
  int64_t announced_ns;
  // Of callers that are expensive to look up: those looked up first, and the runs until the next one.
  unsigned caller_lookups;
  unsigned runs_until_lookup;
  unsigned random;
  int32_t caller_thread;
  uint64_t first_caller;
  bool has_several_callers;
  // The tuples of values that were recorded.
  struct value_sample *values;
  bool is_shared;
  enum write write;
  bool is_checkpoint;
  size_t length;
  // Where the first word begins, behind comments.
  size_t first_word;
  char sql[];
};

static inline const char *command_of(const struct text *text) { return text->sql + text->first_word; }

// A run that has ended.
struct ended_run {
  struct statement_run_event event;
  struct text *text;
  sqlite3_stmt *stmt;
  int64_t start, end;
  // The part of it that was spent waiting for locks.
  int64_t wait_ns;
  uint64_t waits;
  // Whether it inserted, updated or deleted rows, also in triggers.
  bool has_changed_rows;
  enum effect effect;
};

// An open connection. Never freed: SQLite may call back on a connection whose closing was deferred.
struct connection {
  struct connection *next;
  sqlite3 *handle;
  struct copy *copy;
  uint64_t id;
  enum way way;
  bool is_excluded;
  bool is_closed;
  // Whether sqlite3_close_v2() left it open until its last statement is finalized.
  bool is_lingering;
  // Whether our trace callback is installed, its mask, and whether it was ever called.
  bool is_traced;
  bool is_called;
  unsigned mask;
  // Whether the main database is a file.
  bool has_file;
  // Whether the functions that the program calls on it are hooked; callbacks see the rest.
  bool is_hooked;
  unsigned announced_generation;
  // The program's own callbacks, which ours pass on to. Guarded by the connection's mutex.
  unsigned program_mask;
  trace_callback program_trace;
  void *program_trace_context;
  plain_trace_callback program_plain_trace;
  void *program_plain_context;
  profile_callback program_profile;
  void *program_profile_context;
  // Whether SQLite calls it for itself, and not only where another callback has runs timed.
  bool is_profiled;
  busy_callback program_busy;
  void *program_busy_context;
  // The transaction that is open.
  uint64_t transaction_id;
  const char *transaction_kind;
  int64_t transaction_start;
  int64_t transaction_wait;
  int64_t writer_ns;
  uint64_t transaction_statements;
  int64_t idle_ns;
  int64_t last_end;
  int64_t log_checked;
  // A run that callbacks saw to its end, until its result code is known.
  // With STORE_TRACE_IO: what its statements read and wrote.
  struct connection_io *io;
  bool has_pending;
  struct ended_run pending;
  int exec_depth;
};

enum { HASHED_PARAMETERS = 16, KEPT_PARAMETERS = 64 };

// The state of one prepared statement. Never freed, but reused for another statement: compare
// `stmt` before use.
struct statement {
  struct statement *next;
  sqlite3_stmt *stmt;
  struct connection *connection;
  struct text *text;
  // The counters at the end of the last run: the program's own are never reset.
  uint64_t raw_hash;
  uint32_t counters[9];
  uint32_t memory_runs;
  uint64_t memory;
  // Hashes of the bound values by parameter.
  uint32_t bound_count;
  bool has_unknown_values;
  uint64_t bind_hash;
  uint64_t bound[HASHED_PARAMETERS];
  uint64_t bound_rest;
  char **values;
  int last_parameter;
  // The run.
  bool is_running;
  bool is_traced_run;
  int64_t start;
  int64_t sqlite_ns;
  // When the last timed step ended.
  int64_t last_row;
  int64_t shortest_gap;
  uint64_t rows;
  uint64_t caller_id;
  int total_changes;
  // Before a statement that may write: the pages and the versions of the databases, where they count.
  bool counts_pages, counts_versions;
  uint32_t pages, versions;
  // Few steps of a long fetch are timed: `untimed` of `skipped` steps remain until the next timed
  // one.
  uint32_t untimed;
  uint32_t skipped;
  uint64_t timed_steps;
  int64_t last_step;
};

enum { CACHED_STATEMENTS = 16 };

// A call of sqlite3_exec() or sqlite3_get_table() on this thread; a user-defined function or a row's callback may
// call within another one.
struct exec {
  struct exec *outer;
  struct connection *connection;
  // The statement of it that runs, and what the call interrupted.
  sqlite3_stmt *running;
  struct connection *inside;
  int64_t callback_ns;
};

struct thread {
  struct statement *cache[CACHED_STATEMENTS];
  // The statement of a long fetch whose next steps are not timed.
  struct statement *fetching;
  // The connection for which SQLite is at work on this thread, and the innermost sqlite3_exec().
  struct connection *inside;
  struct exec *exec;
  int64_t callback_ns;
  // Waits for locks since they were last reported.
  uint64_t busy_attempts;
  int64_t busy_ns;
  int excluding;
  // See guard.c: where the stack has room, and how much.
  bool is_guarded, has_bounds;
  uintptr_t roomy_stack, roomy_size;
  // A connection that was observed within the running sqlite3_open(), by another way in.
  struct connection *opened;
  // The number that the SQL's own comment names as the caller, for the run that begins.
  int32_t thread_id;
};

extern _Thread_local struct thread this_thread __attribute__((tls_model("initial-exec")));

// MARK: - recording.c

// The level of the debug log, and the states of the tracepoints: 0 is off.
extern int log_level;
extern const int *tracepoint_state;
extern bool record_values;
// Raised when all that was announced is due again: after a fork, and when a listener begins.
extern unsigned generation;
extern int was_recording;

// Returns whether it still is: in a child LTTng begins now, or does not fit in.
bool recording_began(void);
void recording_ended(void);

// Whether any event is enabled. When all are off, this is one comparison.
static inline bool is_recording(void) {
  if (LIKELY((log_level | *tracepoint_state) == 0)) {
    if (UNLIKELY(was_recording)) recording_ended();
    return false;
  }
  return LIKELY(was_recording) || recording_began();
}

// Whether a session accepts the events of this process, as far as is known; true without tracepoints.
extern bool is_received;

void start_recording_once(void);
// Ends it for good.
void stop_recording(void);
// Writes an event, by its struct, to the log and the tracepoints.
void emit(enum event_kind kind, const void *event);
#define EMIT(name, ...) emit(EVENT_##name, &(struct name##_event){__VA_ARGS__})
void emit_statement(uint64_t connection_id, const struct text *text);
void emit_run(const struct statement_run_event *event, const struct text *text,
              const struct statement *bindings);
void emit_copy_not_observed(const char *path, const char *version, const char *reason);

// MARK: - tracer.c, obstacles.c, filters.c

// NULL without LTTng; and the process that loaded it or was forked from that one.
extern const struct tracepoints *tracepoints;
extern int recording_process;
// Whether LTTng's threads and descriptors belong to this process.
bool lttng_is_here(void);
// The process id, without a system call where the program restricts these.
int current_process(void);
void load_lttng(void);
// Removes LTTng's threads.
void leave_lttng(void);
void stop_tracing(void);
void lttng_before_fork(void);
void lttng_after_fork_parent(void);
void lttng_after_fork_child(void);
void begin_lttng_in_child(void);

// Why LTTng does not fit into this process, or NULL.
const char *lttng_obstacle(void);
// Whether the program restricted its system calls.
extern bool is_filtered;
bool has_inherited_filter(void);

// MARK: - guard.c

// Runs a function without cancellation, and with enough stack.
void guarded(void (*function)(void), const uintptr_t arguments[6]);
#define WORD(value) ((uintptr_t)(value))
#define GUARDED(function, ...) guarded((void (*)(void))(function), (const uintptr_t[6]){__VA_ARGS__})

// MARK: - log.c

void log_open(void);
void log_after_fork(void);
void log_begin_in_child(void);
// Reports once that this process is not traced, where a recording expects it to be.
void log_untraced(const char *reason);
void log_close(int status);
void log_event(enum event_kind kind, const void *event);
void log_run(const struct statement_run_event *event, const struct text *text,
             const struct statement *bindings);
void log_warning(const char *text);
size_t copy_valid_utf8(char *to, const char *from, size_t length);

// MARK: - process.c

// Reads a file of /proc to its end or the buffer's; returns the count of bytes, or 0.
size_t read_file(const char *path, char *buffer, size_t size);
int64_t clock_now(void);
int64_t clock_coarse(void);
int64_t process_start_ns(void);
const char *process_name(void);
const char *program_name(void);
bool program_is_interpreter(void);
int32_t thread_id(void);
void process_after_fork(void);

// MARK: - copies.c, connections.c, statements.c, texts.c

struct copy *copy_of_functions(const char *path, const void *base, void *(*resolve)(void *, const char *),
                               void *context, enum way way, const char **reason);
struct copy *copy_of_table(const void *table, const char *path, const void *base, enum way way);

struct connection *find_connection(sqlite3 *handle);
struct connection *open_connection(struct copy *copy, sqlite3 *handle, enum way way,
                                   bool is_hooked);
void close_connection(struct connection *connection);
void linger(struct connection *connection);
// How many connections linger.
extern int lingering;
// The connection that lingers until this statement, its last one, is finalized; or NULL.
struct connection *closed_with(struct copy *copy, sqlite3_stmt *stmt);
void announce_connection(struct connection *connection);
void report_silent_connections(void);
void set_trace(struct connection *connection, unsigned mask);

struct statement *find_statement(sqlite3_stmt *stmt);
struct statement *observe_statement(struct copy *copy, sqlite3_stmt *stmt);
void forget_statement(sqlite3_stmt *stmt);
void statements_after_fork(void);
void connections_after_fork(void);
void copies_after_fork(void);
void static_copies_after_fork(void);
void texts_after_fork(void);

struct text *text_of_sql(const char *sql);
void release_text(struct text *text);
void announce_text(uint64_t connection_id, struct text *text);

// MARK: - runs.c

void begin_run(struct statement *statement, bool is_traced);
void resume_run(struct statement *statement);
void take_step_time(struct statement *statement, int64_t start, int64_t end);
void end_run(struct statement *statement, int code, int64_t now);
void flush_pending(struct connection *connection, int code);
void report_waits(struct connection *connection, int code);

// MARK: - steps.c, failures.c, checkpoints.c, bindings.c, expanded.c

int step_recorded(struct copy *copy, sqlite3_stmt *stmt);
int end_fetch(struct statement *statement, int code);
int reset_recorded(struct copy *copy, sqlite3_stmt *stmt);
int finalize_recorded(struct copy *copy, sqlite3_stmt *stmt);


struct timed_callback {
  row_callback callback;
  void *context;
};
int call_timed(void *timed_callback, int count, char **values, char **names);
bool begin_exec(struct exec *exec, struct copy *copy, sqlite3 *handle);
void end_exec(struct exec *exec, const char *sql, int code);

// Reports a statement that was not prepared. The SQL is cut after its first statement.
void failed_to_prepare(struct connection *connection, const char *sql, int length, int code);
// The statement at which the SQL of sqlite3_exec() could not be prepared further, or NULL.
const char *statement_that_failed(const struct connection *connection, const char *sql, int code);
const char *describe_error(struct connection *connection, int code);
bool is_parse_error(const struct connection *connection, int code);
uint64_t next_run_id(void);

int checkpoint_recorded(struct copy *copy, sqlite3 *handle, const char *schema, int mode,
                        int *log_frames, int *checkpointed);
void checkpoint_returned(struct statement *statement, int64_t duration);

void bound_null(struct copy *copy, sqlite3_stmt *stmt, int index);
void bound_integer(struct copy *copy, sqlite3_stmt *stmt, int index, int64_t value);
void bound_double(struct copy *copy, sqlite3_stmt *stmt, int index, double value);
void bound_zeroes(struct copy *copy, sqlite3_stmt *stmt, int index, uint64_t length);

// A text or a blob that the program binds.
struct bound_bytes {
  sqlite3_stmt *stmt;
  int index;
  const void *bytes;
  // Where `is_terminated`, to the first 0.
  uint64_t length;
  bool is_terminated;
  enum { BOUND_TEXT, BOUND_TEXT16, BOUND_BLOB } type;
  bool is_read;
  uint64_t hash;
  char *literal;
};
// Around the call, after which SQLite may have destroyed a value with a destructor.
void bytes_will_be_bound(struct copy *copy, struct bound_bytes *value, void (*destructor)(void *));
void bytes_were_bound(struct copy *copy, struct bound_bytes *value, int code);

// Whether values are kept as literals.
static inline bool keeps_values(void) { return UNLIKELY(record_values || log_level >= 2); }
// Return an allocated literal; a long value is cut, and its length is stated.
char *literal_of_text(const char *text, size_t length);
char *literal_of_blob(const unsigned char *blob, size_t length);
char *literal_of_zeroes(uint64_t length);
// Records the values that `expanded` contains for the parameters of `sql`.
void keep_expanded(struct statement *statement, const char *sql, const char *expanded);

// MARK: - trace.c

int traced(unsigned event, void *context, void *object, void *detail);

// MARK: - test-name.c, transactions.c

void announce_test(const struct connection *connection);

void transaction_after(struct connection *connection, struct ended_run *run, int code);
void transaction_at_close(struct connection *connection);

// MARK: - writes.c

// Before a run that may write; and after it.
void writes_will_begin(struct statement *statement);
enum effect effect_of(const struct statement *statement);

// MARK: - io.c

// Before a copy opens a database, and after it did.
void io_will_open(const struct copy *copy);
void io_opened(struct connection *connection);
void io_closed(struct connection *connection);
// A run ended; its transaction began; its transaction ended. Only where `connection->io` is set.
void io_of_run(struct connection *connection, const struct ended_run *run);
void io_transaction_began(struct connection *connection);
void io_committed(struct connection *connection, const struct ended_run *run,
                  const struct transaction_event *transaction);

// MARK: - values.c

void values_cleared(struct statement *statement);
void value_bound(struct statement *statement, int index, uint64_t hash);
// Frees the literal later.
void value_kept(struct statement *statement, int index, char *literal);
uint64_t hash_bytes(const void *bytes, size_t count, uint64_t seed);
void values_start(void);
uint64_t keyed_hash(const char *text);
void record_bound_values(const struct statement *statement, uint64_t hash);

// MARK: - callers.c

enum caller_mode { CALLERS_SAMPLE, CALLERS_ALL, CALLERS_NONE };
extern enum caller_mode caller_mode;
void callers_start(void);
void callers_after_fork(void);
// Returns the number of the program's line that runs a statement, or 0.
uint64_t caller_of_run(struct statement *statement, const char *sql, bool may_lock);
uint64_t caller_now(const char *sql, bool may_lock);
// How well a file fits as the program's own: 3 the program, 2 an installed package, 1 a library, 0 a launcher.
int rank_of_python_file(const char *file);
bool is_launcher(const char *file);
void python_files_start(void);
bool python_caller_from_dump(
    void (*dump)(int, void *), void *thread_state, struct caller_event *caller, char *buffer, size_t size);
bool python_caller(struct caller_event *caller, char *buffer, size_t size, bool may_lock);
// On a thread without the interpreter's lock; expensive.
bool python_can_be_dumped(void);
bool python_caller_without_lock(struct caller_event *caller, char *buffer, size_t size);
bool php_caller(struct caller_event *caller);
int native_frames(void **addresses, int count);
// The folder in which the program started, with a slash at its end; "" if it is not known.
const char *start_folder(void);
bool describe_frames(void *const *addresses, int count, struct caller_event *caller, char *buffer,
                     size_t size);
bool comment_caller(const char *sql, struct caller_event *caller, char *buffer, size_t size);
// Copies SQL without the comments that name a caller; returns 0 if it has none.
size_t sql_without_tags(const char *sql, size_t length, char *buffer);

// MARK: - slots.c, loading.c

void patch_new_objects(void);
void patch_new_objects_of(bool is_deep);
void slots_after_fork(void);


extern const char *const hooked_names[HOOKED_COUNT];
extern void *const hooked_functions[MAX_COPIES][HOOKED_COUNT];
extern void *const own_open_functions[MAX_COPIES][3];

#pragma GCC visibility pop

#endif
