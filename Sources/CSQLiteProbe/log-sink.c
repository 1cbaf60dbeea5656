// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "log-sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CLogSink.h"
#include "log-map.h"
#include "process.h"
#include "state.h"

// Above the descriptors that a program relies on: it gets the same numbers as without a log.
enum { LOWEST_DESCRIPTOR = 500 };

static struct CLogSink sink = {.descriptor = -1};
static char *file_path;
// Of a recording, with a file for each process; NULL for a single file.
static char *folder_path;
// The limit of descriptors is low: the file is open only while it is written.
static bool is_low;
// The file is that of a recording, for this process alone.
static bool is_mapped, can_map;

// Whether a link of another user is on the way to a file: it may lead to any file of ours.
static bool has_foreign_link(const char *path, int depth) {
  char prefix[PATH_MAX], target[PATH_MAX];
  size_t length = strlen(path);
  if (length >= sizeof prefix) return true;
  for (size_t end = 1; end <= length; end++) {
    struct stat status;
    if (path[end] != '/' && path[end] != 0) continue;
    memcpy(prefix, path, end);
    prefix[end] = 0;
    if (lstat(prefix, &status) != 0 || !S_ISLNK(status.st_mode)) continue;
    if ((status.st_uid != 0 && status.st_uid != geteuid()) || depth == 0) return true;
    ssize_t count = readlink(prefix, target, sizeof target - 1);
    if (count <= 0) return true;
    target[count] = 0;
    const char *slash = target[0] == '/' ? NULL : strrchr(prefix, '/');
    size_t folder = slash ? (size_t)(slash - prefix) + 1 : 0;
    if (folder + (size_t)count >= sizeof prefix) return true;
    memmove(target + folder, target, (size_t)count + 1);
    memcpy(target, prefix, folder);
    if (has_foreign_link(target, depth - 1)) return true;
  }
  return false;
}

static int open_descriptor(void) {
  char file_of_process[PATH_MAX];
  if (!file_path) return 2;
  // The recording may have ended since.
  if (folder_path && !CLogSink_find(folder_path, current_process(), file_of_process, sizeof file_of_process)) return -1;
  int flags = O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
  int file = open(file_path, flags | (is_mapped ? O_RDWR : O_WRONLY), 0600);
  if (file < 0) return -1;
  int high = fcntl(file, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR);
  is_low = high < 0;
  if (is_low) return file;
  close(file);
  return high;
}

static bool open_again(void) {
  int descriptor = open_descriptor();
  return descriptor >= 0 && CLogSink_open(&sink, descriptor);
}

// An earlier log may have ended with lines that it did not take.
static void forget_file(void) {
  is_mapped = can_map = false;
  log_map_close(-1);
  if (sink.descriptor > 2 && CLogSink_file(&sink) != CLogSink_file_replaced) close(sink.descriptor);
  free(sink.unsent);
  sink = (struct CLogSink){.descriptor = -1};
}

int sink_open(const char *path) {
  char file_of_process[PATH_MAX];
  // /proc/self/fd and the like lead back to where they are.
  if (path && has_foreign_link(path, 8)) return errno = ELOOP, -1;
  if (path && !CLogSink_find(path, current_process(), file_of_process, sizeof file_of_process)) return -1;
  forget_file();
  // Not freed: another thread may look whether the recording has ended.
  folder_path = NULL;
  if (path && strcmp(path, file_of_process) != 0) {
    folder_path = realpath(path, NULL);
    is_mapped = can_map = log_map_open_mark(path);
    // A store appends to the other name.
    if (is_mapped) snprintf(file_of_process, sizeof file_of_process, "%s/%d-probe.log", path, current_process());
    path = file_of_process;
  }
  file_path = path ? realpath(path, NULL) : NULL;
  if (path && !file_path) {
    // Made by the first opening; the program may change its directory later.
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600);
    if (file < 0) return -1;
    close(file);
    file_path = realpath(path, NULL);
    if (!file_path) return -1;
  }
  return open_again() ? 0 : -1;
}

bool sink_has_ended(void) {
  char file[PATH_MAX];
  // A single file is removed by its reader.
  if (!folder_path) return file_path && CLogSink_file(&sink) == CLogSink_file_ended;
  return !CLogSink_find(folder_path, current_process(), file, sizeof file) && errno == ESHUTDOWN;
}

static bool is_writable(void) {
  switch (CLogSink_file(&sink)) {
    case CLogSink_file_current: return true;
    case CLogSink_file_ended: return false;
    // A log to standard error ends with the stream; a file is opened again.
    default: return file_path && open_again();
  }
}

bool sink_is_mapped(void) { return is_mapped; }

int64_t sink_end(void) {
  struct stat status;
  int64_t end = log_map_end();
  return end >= 0 ? end : file_path && stat(file_path, &status) == 0 ? status.st_size : -1;
}

void sink_close(void) {
  if (is_mapped && is_writable()) log_map_close(sink.descriptor);
}

void sink_after_fork(void) { log_map_forget(); }

int sink_open_in_child(void) {
  if (!folder_path) return 0;
  forget_file();
  char *folder = folder_path;
  free(file_path);
  file_path = folder_path = NULL;
  int code = sink_open(folder);
  free(folder);
  return code;
}

static bool write_mapped(const char *bytes, size_t count) {
  if (!can_map || sink.unsent_count > 0) return false;
  can_map = log_map_more(sink.descriptor, count) && log_map_write(bytes, count);
  return can_map;
}

void sink_write(const char *bytes, size_t count, int lines) {
  bool has_ended = is_mapped && log_map_has_ended();
  if (!has_ended && can_map && sink.lost == 0 && log_map_write(bytes, count)) return;
  if (has_ended || !is_writable()) {
    sink.lost += lines;
    return;
  }
  // A reader that went away, or a file that has its maximum size, must not end the program.
  if (write_mapped(bytes, count)) sink.lost = 0;
  else if (is_filtered) CLogSink_write(&sink, bytes, count, lines);
  else CLogSink_write_without_signal(&sink, sink.is_stream ? SIGPIPE : SIGXFSZ, bytes, count, lines);
  if (is_low && !sink.is_stream && sink.descriptor > 2) {
    close(sink.descriptor);
    sink.descriptor = -1;
  }
}

long sink_lost(void) { return sink.lost; }
