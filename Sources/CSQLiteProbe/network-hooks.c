// SPDX-License-Identifier: Apache-2.0

// Hooks that count the messages that a process receives. They call libc exactly as the program did.

#define _GNU_SOURCE
#include "network-hooks.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "recording.h"

uint64_t received_messages;

static void count(void) {
  __atomic_fetch_add(&received_messages, 1, __ATOMIC_RELAXED);
  this_thread.received++;
}

// Event loops wake themselves through a pair of Unix sockets.
static void count_if_remote(int socket, ssize_t size) {
  struct sockaddr_storage name;
  socklen_t length = sizeof name;
  int error = errno;
  // A filter of system calls may not permit this one.
  if (size <= 0 || is_filtered || (log_level | *tracepoint_state) == 0) return;
  if (getsockname(socket, (struct sockaddr *)&name, &length) == 0 && name.ss_family != AF_UNIX) count();
  errno = error;
}

static int hook_accept(int socket, struct sockaddr *address, socklen_t *length) {
  int descriptor = accept(socket, address, length);
  if (descriptor >= 0) count();
  return descriptor;
}

static int hook_accept4(int socket, struct sockaddr *address, socklen_t *length, int flags) {
  int descriptor = accept4(socket, address, length, flags);
  if (descriptor >= 0) count();
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

void *network_hook(const char *name) {
  static const struct {
    const char *name;
    void *hook;
  } hooks[] = {
      {"accept", (void *)hook_accept}, {"accept4", (void *)hook_accept4}, {"recv", (void *)hook_recv},
      {"recvfrom", (void *)hook_recvfrom}, {"recvmsg", (void *)hook_recvmsg},
  };
  for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
    if (strcmp(hooks[i].name, name) == 0) return hooks[i].hook;
  return NULL;
}
