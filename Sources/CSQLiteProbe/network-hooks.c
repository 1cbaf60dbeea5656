// SPDX-License-Identifier: Apache-2.0

// Hooks that count the messages that a process receives, from a network or on its standard input. They call libc exactly
// as the program did.

#define _GNU_SOURCE
#include "network-hooks.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recording.h"

uint64_t received_messages;

void count_message(void) {
  __atomic_fetch_add(&received_messages, 1, __ATOMIC_RELAXED);
  this_thread.received++;
}

// A filter of system calls may not permit the ones that look at a descriptor.
static bool may_count(ssize_t size) { return size > 0 && !is_filtered && (log_level | *tracepoint_state) != 0; }

typedef int name_function(int, struct sockaddr *, socklen_t *);

static bool has_name(int socket, name_function *get) {
  struct sockaddr_storage name;
  socklen_t length = sizeof name;
  if (get(socket, (struct sockaddr *)&name, &length) != 0) return false;
  return name.ss_family != AF_UNIX || length > sizeof name.ss_family;
}

// Event loops wake themselves through a pair of Unix sockets, which have no names.
static bool is_remote(int descriptor) {
  errno = 0;
  return has_name(descriptor, getsockname) || (errno != ENOTSOCK && has_name(descriptor, getpeername));
}

// The descriptors that were no remote sockets when the program read them first: most reads are those of files, and a
// system call for each takes a third of its time. A connection that is accepted later may have the number of one.
static uint8_t local_descriptors[4096];

static uint8_t *local_descriptor(int descriptor) {
  return descriptor >= 0 && descriptor < (int)sizeof local_descriptors ? local_descriptors + descriptor : NULL;
}

static void accepted(int descriptor) {
  uint8_t *is_local = local_descriptor(descriptor);
  if (is_local) __atomic_store_n(is_local, false, __ATOMIC_RELAXED);
  if (descriptor >= 0) count_message();
}

static bool is_remote_reader(int descriptor) {
  uint8_t *is_local = local_descriptor(descriptor);
  if (is_local && __atomic_load_n(is_local, __ATOMIC_RELAXED)) return false;
  bool result = is_remote(descriptor);
  if (is_local && !result) __atomic_store_n(is_local, true, __ATOMIC_RELAXED);
  return result;
}

static void count_if_remote(int socket, ssize_t size) {
  int error = errno;
  if (may_count(size) && is_remote(socket)) count_message();
  errno = error;
}

// A request on the standard input is read to its end. A read that is full is a part of a longer input, as of a file.
static bool is_request(int descriptor, bool is_full) {
  struct stat status;
  return descriptor == STDIN_FILENO && !is_full && fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode);
}

static void count_if_message(int descriptor, ssize_t size, bool is_full) {
  int error = errno;
  if (may_count(size) && (is_request(descriptor, is_full) || is_remote_reader(descriptor))) count_message();
  errno = error;
}

static int hook_accept(int socket, struct sockaddr *address, socklen_t *length) {
  int descriptor = accept(socket, address, length);
  accepted(descriptor);
  return descriptor;
}

static int hook_accept4(int socket, struct sockaddr *address, socklen_t *length, int flags) {
  int descriptor = accept4(socket, address, length, flags);
  accepted(descriptor);
  return descriptor;
}

static ssize_t hook_recv(int socket, void *buffer, size_t size, int flags) {
  ssize_t result = recv(socket, buffer, size, flags);
  count_if_remote(socket, result);
  return result;
}

static ssize_t hook_recvfrom(int socket, void *buffer, size_t size, int flags, struct sockaddr *address, socklen_t *length) {
  ssize_t result = recvfrom(socket, buffer, size, flags, address, length);
  count_if_remote(socket, result);
  return result;
}

static ssize_t hook_recvmsg(int socket, struct msghdr *message, int flags) {
  ssize_t result = recvmsg(socket, message, flags);
  count_if_remote(socket, result);
  return result;
}

// libuv and Java read their sockets so.
static ssize_t hook_read(int descriptor, void *buffer, size_t size) {
  ssize_t result = read(descriptor, buffer, size);
  count_if_message(descriptor, result, (size_t)result == size);
  return result;
}

static ssize_t hook_readv(int descriptor, const struct iovec *parts, int count) {
  ssize_t result = readv(descriptor, parts, count);
  count_if_message(descriptor, result, false);
  return result;
}

void *network_hook(const char *name) {
  static const struct {
    const char *name;
    void *hook;
  } hooks[] = {
      {"accept", (void *)hook_accept}, {"accept4", (void *)hook_accept4}, {"recv", (void *)hook_recv},
      {"recvfrom", (void *)hook_recvfrom}, {"recvmsg", (void *)hook_recvmsg}, {"read", (void *)hook_read},
      {"readv", (void *)hook_readv},
  };
  for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
    if (strcmp(hooks[i].name, name) == 0) return hooks[i].hook;
  return NULL;
}
