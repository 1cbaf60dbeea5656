// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stddef.h>
#include <sys/types.h>

// Writes the type of the file system of a file as the kernel's list of mounts names it, such as `nfs4` or `fuse.sshfs`;
// "" if the kernel serves it by itself.
void remote_file_system(const char *path, dev_t device, char *type, size_t size);
