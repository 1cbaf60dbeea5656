// SPDX-License-Identifier: Apache-2.0

// A descriptor that takes lines whole, or not at all, and never keeps the program waiting for long.
//
// For the debug logs of the store and of the probe. A line that was written in part is finished
// before anything else is written.

#ifndef CLogSink_h
#define CLogSink_h

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CLogSink {
  int descriptor;
  // A pipe, a socket or a terminal: it can be full, and its reader can go.
  bool is_stream;
  // Lines lost since the last one that was written.
  long lost;
  // The rest of a line that was written in part.
  char *unsent;
  size_t unsent_count;
  // The identity of the file, and whether it had a name and its owner's permission to write: one without, of a caller,
  // is written as well.
  uint64_t device, inode;
  bool had_name, had_permission;
};

struct CLogSink_date {
  int64_t year;
  int month, day, hour, minute, second;
};
// The date of seconds since 1970, in the same zone. gmtime_r() takes a lock, which another thread may have at the time
// of a fork. The calendar: howardhinnant.github.io/date_algorithms.html, civil_from_days.
struct CLogSink_date CLogSink_date(int64_t seconds);

// Finds the file of a log: within the folder of a recording that goes on, one of the process, such as `4711.log`; any
// other path is that of the file. Returns false if the path is too long, or (ESHUTDOWN) of a recording that has ended.
bool CLogSink_find(const char *path, int process, char *file, size_t size);

// Writes to a descriptor from now on; returns false if it is not open.
bool CLogSink_open(struct CLogSink *sink, int descriptor);
enum CLogSink_file {
  CLogSink_file_current,
  // It has no reader any more, or its recorder took away the permission to write: it takes no more of the disk.
  CLogSink_file_ended,
  // The program closed the descriptor, and may have opened another file with its number.
  CLogSink_file_replaced,
};
enum CLogSink_file CLogSink_file(const struct CLogSink *sink);
// Writes the lines of a group; counts them as lost if the descriptor takes none of them.
void CLogSink_write(struct CLogSink *sink, const char *bytes, size_t count, int lines);
// The same with a signal blocked that a write may raise, such as SIGPIPE, which is then taken back.
void CLogSink_write_without_signal(struct CLogSink *sink, int signal, const char *bytes, size_t count, int lines);

#endif
