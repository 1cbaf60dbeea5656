// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CLogSink.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// How long a reader may keep the program waiting, in ms; after that, not at all until it reads again.
enum { PATIENCE = 100 };

struct CLogSink_date CLogSink_date(int64_t seconds) {
  int second = (int)((seconds % 86400 + 86400) % 86400);
  int64_t days = (seconds - second) / 86400 + 719468;  // since 0000-03-01
  int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  int day = (int)(days - era * 146097);
  int year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  day -= 365 * year + year / 4 - year / 100;
  int month = (5 * day + 2) / 153;  // since March
  return (struct CLogSink_date){
      .year = era * 400 + year + (month >= 10), .month = month < 10 ? month + 3 : month - 9,
      .day = day - (153 * month + 2) / 5 + 1, .hour = second / 3600, .minute = second / 60 % 60, .second = second % 60};
}

bool CLogSink_open(struct CLogSink *sink, int descriptor) {
  struct stat status;
  sink->descriptor = descriptor;
  if (fstat(descriptor, &status) != 0) return false;
  sink->device = status.st_dev;
  sink->inode = status.st_ino;
  sink->is_stream = !S_ISREG(status.st_mode);
  sink->had_name = !sink->is_stream && status.st_nlink > 0;
  sink->had_permission = (status.st_mode & S_IWUSR) != 0;
  return true;
}

bool CLogSink_find(const char *path, int process, char *file, size_t size) {
  struct stat status;
  bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
  int count = is_folder ? snprintf(file, size, "%s/.recording", path) : snprintf(file, size, "%s", path);
  if (count < 0 || (size_t)count >= size) return errno = ENAMETOOLONG, false;
  if (!is_folder) return true;
  // The recorder's mark, which is gone at the end and cannot be written from the limit of the log on.
  if (stat(file, &status) != 0 || !(status.st_mode & S_IWUSR)) return errno = ESHUTDOWN, false;
  // Shorter than the path of the mark, or as long.
  snprintf(file, size, "%s/%d.log", path, process);
  return true;
}

enum CLogSink_file CLogSink_file(const struct CLogSink *sink) {
  struct stat status;
  if (sink->descriptor < 0 || fstat(sink->descriptor, &status) != 0 ||
      status.st_dev != sink->device || status.st_ino != sink->inode)
    return CLogSink_file_replaced;
  bool has_ended = sink->had_name && (status.st_nlink == 0 || (sink->had_permission && !(status.st_mode & S_IWUSR)));
  return has_ended ? CLogSink_file_ended : CLogSink_file_current;
}

static bool is_ready(const struct CLogSink *sink) {
  struct pollfd request = {.fd = sink->descriptor, .events = POLLOUT};
  // A signal ends the wait early: the lines count as lost, and are not waited for again.
  if (poll(&request, 1, sink->lost > 0 || sink->unsent_count > 0 ? 0 : PATIENCE) != 1) return false;
  return (request.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

// As many complete lines as a pipe accepts at once, or that part of a longer line.
static size_t chunk_of(const char *bytes, size_t count) {
  if (count <= PIPE_BUF) return count;
  const char *end = memrchr(bytes, '\n', PIPE_BUF);
  return end ? (size_t)(end - bytes) + 1 : PIPE_BUF;
}

// Returns how many bytes the descriptor took.
static size_t send_bytes(const struct CLogSink *sink, const char *bytes, size_t count) {
  size_t sent = 0;
  while (sent < count) {
    if (sink->is_stream && !is_ready(sink)) break;
    size_t chunk = sink->is_stream ? chunk_of(bytes + sent, count - sent) : count - sent;
    ssize_t written = write(sink->descriptor, bytes + sent, chunk);
    if (written < 0 && (errno == EINTR || (sink->is_stream && errno == EAGAIN))) continue;
    if (written <= 0) break;
    sent += (size_t)written;
  }
  return sent;
}

// Keeps the rest of a line that was written in part; the lines after it are lost.
static void keep_rest(struct CLogSink *sink, const char *bytes, size_t count) {
  const char *end = memchr(bytes, '\n', count);
  size_t kept = end ? (size_t)(end - bytes) + 1 : count;
  sink->unsent = malloc(kept);
  if (sink->unsent) {
    memcpy(sink->unsent, bytes, kept);
    sink->unsent_count = kept;
  }
  for (size_t i = kept; i < count; i++) sink->lost += bytes[i] == '\n';
}

static bool send_unsent(struct CLogSink *sink) {
  if (sink->unsent_count == 0) return true;
  size_t sent = send_bytes(sink, sink->unsent, sink->unsent_count);
  memmove(sink->unsent, sink->unsent + sent, sink->unsent_count - sent);
  sink->unsent_count -= sent;
  if (sink->unsent_count > 0) return false;
  free(sink->unsent);
  sink->unsent = NULL;
  return true;
}

void CLogSink_write(struct CLogSink *sink, const char *bytes, size_t count, int lines) {
  size_t sent = send_unsent(sink) ? send_bytes(sink, bytes, count) : 0;
  sink->lost = sent > 0 ? 0 : sink->lost + lines;
  if (sent > 0 && sent < count) keep_rest(sink, bytes + sent, count - sent);
}

void CLogSink_write_without_signal(
    struct CLogSink *sink, int signal, const char *bytes, size_t count, int lines) {
  sigset_t set, old, pending;
  struct timespec now = {0, 0};
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  // One that was not blocked cannot be pending.
  bool was_pending = sigismember(&old, signal) && sigpending(&pending) == 0 && sigismember(&pending, signal);
  CLogSink_write(sink, bytes, count, lines);
  bool is_complete = sink->lost == 0 && sink->unsent_count == 0;
  if (!is_complete && !was_pending) sigtimedwait(&set, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}
