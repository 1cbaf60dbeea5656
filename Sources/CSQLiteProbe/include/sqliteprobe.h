// SPDX-License-Identifier: Apache-2.0

// The probe's own interface: functions for a program that loads libstorescope-probe.so.
//
// Every function may be called at any time from any thread. None of them changes what SQLite
// returns to the program.

#ifndef sqliteprobe_h
#define sqliteprobe_h

#ifdef __cplusplus
extern "C" {
#endif

// Observes a connection that is open already. The functions of SQLite are looked up in the global
// scope of the process. Returns 1 if the connection is observed, and 0 if it is not.
int sqliteprobe_observe(void *connection);

// Observes a connection of a copy of SQLite that the global scope does not hold: `resolve` returns
// the address of the copy's function with a name such as `sqlite3_trace_v2`, or NULL.
int sqliteprobe_observe_using(void *connection, void *(*resolve)(const char *name));

// Between 1 and 0 the connections that this thread opens are not observed. Calls nest. The object
// store reports its own statements and excludes its connections in this way.
void sqliteprobe_exclude(int is_excluding);

// Ends the recording of this process: its debug log gets the line by which a reader finds that it is
// complete, with the status with which the program is going to end.
void sqliteprobe_finish(int status);

// Returns the length of this process's log after its last line, without the room that is mapped for the next ones: the
// events of every call of SQLite that has returned are before it. -1 without a log.
long long sqliteprobe_log_end(void);

// Starts a recording with settings, lines such as `STORE_SQL_DEBUG=1`, which precede the environment's. Existing
// connections and statements are observed from their next call on. Returns 1 if the process is already recorded.
// `trace-report attach` calls it.
int sqliteprobe_attach(const char *settings);

// Ends it: the program calls SQLite again as if the library had not been loaded. Returns 1 if nothing was recorded.
int sqliteprobe_detach(const char *unused);

// Appends the lines at which the threads of a Python program are to a file, on a thread of its own; its last line is `end`,
// or `unknown` where the process runs no Python. Returns 1 if that thread could not start. `trace-report locks --attach`
// calls it.
int sqliteprobe_threads(const char *path);

#ifdef __cplusplus
}
#endif

#endif
