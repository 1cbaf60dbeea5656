// SPDX-License-Identifier: Apache-2.0

// The file system of a database: whether another machine, or a program, serves it.

#include "file-system.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "state.h"

// NFS, SMB in three versions, Ceph, Lustre, AFS, GPFS, BeeGFS, and FUSE: from linux/magic.h, and from the file
// systems' sources for numbers that it lacks.
static bool may_be_remote(const char *path) {
  static const unsigned numbers[] = {0x6969,     0x517b,     0xff534d42, 0xfe534d42, 0x00c36400,
                                     0x0bd00bd0, 0x5346414f, 0x47504653, 0x19830326, 0x65735546};
  struct statfs status;
  bool is_found = false;
  if (statfs(path, &status) != 0) return false;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) is_found |= (unsigned)status.f_type == numbers[i];
  return is_found;
}

// `36 35 98:0 /root /folder rw,noatime master:1 - fuse.sshfs host:/folder rw`
static bool read_type(const char *line, dev_t device, char *type, size_t size) {
  unsigned major_number, minor_number;
  if (sscanf(line, "%*u %*u %u:%u", &major_number, &minor_number) != 2) return false;
  if (major_number != major(device) || minor_number != minor(device)) return false;
  const char *dash = strstr(line, " - ");
  if (!dash) return false;
  snprintf(type, size, "%.*s", (int)strcspn(dash + 3, " \n"), dash + 3);
  return true;
}

void remote_file_system(const char *path, dev_t device, char *type, size_t size) {
  char line[4096];
  type[0] = 0;
  if (is_filtered || !may_be_remote(path)) return;
  FILE *mounts = fopen("/proc/self/mountinfo", "re");
  while (mounts && fgets(line, sizeof line, mounts) && !read_type(line, device, type, size)) continue;
  if (mounts) fclose(mounts);
}
