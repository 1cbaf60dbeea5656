// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "log-sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "state.h"

enum {
  // How long a reader may keep the program waiting, in ms, once.
  PATIENCE = 100,
  // Above those that a program counts on: the descriptors it gets are the same as without a log.
  LOWEST_DESCRIPTOR = 500,
};

static int descriptor = -1;
static char *file_path;
// The identity of the opened file: the program may close the descriptor and open another file in
// its place.
static dev_t device;
static ino_t inode;
static bool is_stream;
// Whether the file had a name when it was opened: one without, of a caller, is written as well.
static bool had_name;
// The limit of descriptors is low: the file is open only while it is written.
static bool is_low;
static long lost;
static char *unsent;
static size_t unsent_count;

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
  if (!file_path) return 2;
  int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
  int file = open(file_path, flags, 0600);
  if (file < 0) return -1;
  int high = fcntl(file, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR);
  is_low = high < 0;
  if (is_low) return file;
  close(file);
  return high;
}

static bool take_descriptor(void) {
  struct stat status;
  descriptor = open_descriptor();
  if (descriptor < 0 || fstat(descriptor, &status) != 0) return false;
  device = status.st_dev;
  inode = status.st_ino;
  is_stream = !S_ISREG(status.st_mode);
  had_name = status.st_nlink > 0;
  return true;
}

int sink_open(const char *path) {
  // /proc/self/fd and the like lead back to where they are.
  if (path && has_foreign_link(path, 8)) return errno = ELOOP, -1;
  file_path = path ? realpath(path, NULL) : NULL;
  if (path && !file_path) {
    // Made by the first opening; the program may change its directory later.
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600);
    if (file < 0) return -1;
    close(file);
    file_path = realpath(path, NULL);
    if (!file_path) return -1;
  }
  return take_descriptor() ? 0 : -1;
}

static bool is_still_ours(void) {
  struct stat status;
  if (descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_dev == device &&
      status.st_ino == inode)
    // A log that was deleted has no reader, and takes no more of the disk.
    return !had_name || status.st_nlink > 0;
  // A log to standard error ends with the stream; a file is opened again.
  return file_path && take_descriptor();
}

static bool is_ready(void) {
  struct pollfd request = {.fd = descriptor, .events = POLLOUT};
  if (poll(&request, 1, lost > 0 || unsent_count > 0 ? 0 : PATIENCE) != 1) return false;
  return (request.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

// As many complete lines as a pipe accepts at once, or that part of a longer line.
static size_t chunk_of(const char *bytes, size_t count) {
  if (count <= PIPE_BUF) return count;
  const char *end = memrchr(bytes, '\n', PIPE_BUF);
  return end ? (size_t)(end - bytes) + 1 : PIPE_BUF;
}

// Returns how many bytes the descriptor took.
static size_t send_bytes(const char *bytes, size_t count) {
  size_t sent = 0;
  while (sent < count) {
    if (is_stream && !is_ready()) break;
    size_t chunk = is_stream ? chunk_of(bytes + sent, count - sent) : count - sent;
    ssize_t written = write(descriptor, bytes + sent, chunk);
    if (written < 0 && (errno == EINTR || (is_stream && errno == EAGAIN))) continue;
    if (written <= 0) break;
    sent += (size_t)written;
  }
  return sent;
}

static long lines_in(const char *bytes, size_t count) {
  long lines = 0;
  for (size_t i = 0; i < count; i++) lines += bytes[i] == '\n';
  return lines;
}

// Keeps the rest of a line that was written in part; the lines after it are lost.
static void keep_rest(const char *bytes, size_t count) {
  const char *end = memchr(bytes, '\n', count);
  size_t kept = end ? (size_t)(end - bytes) + 1 : count;
  unsent = malloc(kept);
  if (unsent) {
    memcpy(unsent, bytes, kept);
    unsent_count = kept;
  }
  lost += lines_in(bytes + kept, count - kept);
}

static void write_lines(const char *bytes, size_t count, int lines) {
  if (unsent_count > 0) {
    size_t sent = send_bytes(unsent, unsent_count);
    memmove(unsent, unsent + sent, unsent_count - sent);
    unsent_count -= sent;
    if (unsent_count > 0) {
      lost += lines;
      return;
    }
    free(unsent);
    unsent = NULL;
  }
  size_t sent = send_bytes(bytes, count);
  if (sent == 0) lost += lines;
  else if (sent < count) keep_rest(bytes + sent, count - sent);
}

// A reader that went away, or a file that has its maximum size, must not end the program: the signal is blocked and
// taken back.
static void write_without_signal(int number, const char *bytes, size_t count, int lines) {
  sigset_t set, old, pending;
  struct timespec now = {0, 0};
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  // One that was not blocked cannot be pending.
  bool was_pending = sigismember(&old, number) && sigpending(&pending) == 0 && sigismember(&pending, number);
  long lost_before = lost;
  write_lines(bytes, count, lines);
  bool is_complete = lost == lost_before && unsent_count == 0;
  if (!is_complete && !was_pending) sigtimedwait(&set, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void sink_write(const char *bytes, size_t count, int lines) {
  if (!is_still_ours()) {
    lost += lines;
    return;
  }
  if (is_filtered) write_lines(bytes, count, lines);
  else write_without_signal(is_stream ? SIGPIPE : SIGXFSZ, bytes, count, lines);
  if (is_low && !is_stream && descriptor > 2) {
    close(descriptor);
    descriptor = -1;
  }
}

long sink_lost(void) { return lost; }
void sink_reported(void) { lost = 0; }
