// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "CSQLiteFiles.h"
#include "descriptors.h"

int open_regular(const char *path) {
  int number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat status;
  if (number < 0 || (fstat(number, &status) == 0 && S_ISREG(status.st_mode))) return number;
  close(number);
  errno = EINVAL;
  return -1;
}

struct descriptor {
  dev_t device;
  ino_t inode;
  int number;
  bool is_used, is_elsewhere;
  struct descriptor *next;
};
static struct descriptor *descriptors;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_own(int number) {
  for (struct descriptor *at = descriptors; at; at = at->next)
    if (at->number == number) return true;
  return false;
}

static void mark(const struct stat *status) {
  for (struct descriptor *at = descriptors; at; at = at->next)
    if (at->device == status->st_dev && at->inode == status->st_ino) at->is_elsewhere = true;
}

// Marks the files of which the process has other descriptors: in one pass, since it may have thousands.
static void mark_open_elsewhere(void) {
  DIR *folder = opendir("/proc/self/fd");
  for (struct descriptor *at = descriptors; at; at = at->next) at->is_elsewhere = !folder;
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));) {
    struct stat status;
    int number = atoi(entry->d_name);
    if (entry->d_name[0] != '.' && !is_own(number) && fstat(number, &status) == 0) mark(&status);
  }
  closedir(folder);
}

static int open_or_reuse(const char *path) {
  struct stat status;
  if (lstat(path, &status) != 0) return -1;
  for (struct descriptor *at = descriptors; at; at = at->next) {
    if (at->is_used || at->device != status.st_dev || at->inode != status.st_ino) continue;
    at->is_used = true;
    return at->number;
  }
  struct descriptor *made = malloc(sizeof *made);
  int number = made ? open_regular(path) : -1;
  if (number < 0 || fstat(number, &status) != 0) {
    free(made);
    return -1;
  }
  *made = (struct descriptor){status.st_dev, status.st_ino, number, true, false, descriptors};
  descriptors = made;
  return number;
}

int descriptor_open(const char *path) {
  pthread_mutex_lock(&lock);
  int number = open_or_reuse(path);
  int code = errno;
  pthread_mutex_unlock(&lock);
  errno = code;
  return number;
}

void descriptor_close(int number) {
  pthread_mutex_lock(&lock);
  for (struct descriptor *at = descriptors; at; at = at->next)
    if (at->number == number) at->is_used = false;
  // The ones that were kept as well.
  mark_open_elsewhere();
  for (struct descriptor **at = &descriptors; *at;) {
    struct descriptor *closed = *at;
    if (closed->is_used || closed->is_elsewhere) {
      at = &closed->next;
      continue;
    }
    *at = closed->next;
    close(closed->number);
    free(closed);
  }
  pthread_mutex_unlock(&lock);
}

static int copy_bytes(int from, int to) {
  static const size_t size = 1 << 20;
  char *bytes = malloc(size);
  ssize_t length = bytes ? 1 : -1;
  for (off_t offset = 0; length > 0; offset += length) {
    length = pread(from, bytes, size, offset);
    for (ssize_t done = 0, written = 0; done < length; done += written) {
      written = write(to, bytes + done, (size_t)(length - done));
      if (written < 0) {
        length = -1;
        break;
      }
    }
  }
  int code = length < 0 ? errno : 0;
  free(bytes);
  return code;
}

int CSQLiteFiles_copy(const char *from, const char *to) {
  int source = descriptor_open(from);
  if (source < 0) return errno;
  // SQLite's shared lock of a database: no program rolls it back during the copy. Logs and journals have none.
  struct flock shared = {
      .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0x40000002, .l_len = 510};
  int code = fcntl(source, F_OFD_SETLK, &shared) == 0 ? 0 : errno;
  int target = code ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (code == 0) code = target < 0 ? errno : copy_bytes(source, target);
  if (target >= 0 && close(target) != 0 && code == 0) code = errno;
  shared.l_type = F_UNLCK;
  fcntl(source, F_OFD_SETLK, &shared);
  descriptor_close(source);
  return code;
}
