// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// The mount that a file is reached through, one line of `/proc/self/mountinfo`.
///
///     27 1 254:0 / / rw,relatime - ext4 /dev/root rw
struct MountPoint: Hashable {
  var major: UInt32
  var minor: UInt32
  var type: String

  /// `O_PATH`, which glibc hides unless `_GNU_SOURCE` is defined: it needs no right to read.
  private static let pathOnly: Int32 = 0o10000000

  /// Finds the mount of a file; nil where `/proc` does not show it.
  init?(of path: String) {
    let descriptor = open(path, Self.pathOnly | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let facts = ProcFile.text("/proc/self/fdinfo/\(descriptor)"),
      let number = ProcFile.field("mnt_id", in: facts),
      let mounts = ProcFile.text("/proc/self/mountinfo")
    else { return nil }
    for line in mounts.split(separator: "\n") where line.hasPrefix("\(number) ") {
      self.init(line)
      return
    }
    return nil
  }

  init?(_ line: Substring) {
    let fields = line.split(separator: " ")
    guard fields.count > 6, let dash = fields[6...].firstIndex(of: "-"), dash + 1 < fields.count
    else { return nil }
    let device = fields[2].split(separator: ":").compactMap { UInt32($0) }
    guard device.count == 2 else { return nil }
    (major, minor) = (device[0], device[1])
    type = String(fields[dash + 1])
  }

  /// Whether other machines may lock the same file, unseen by this one.
  var isShared: Bool {
    let types: Set = [
      "nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "lustre", "glusterfs", "afs", "virtiofs", "gfs2",
      "ocfs2",
    ]
    return types.contains(type) || type.hasPrefix("fuse")
  }

  /// Whether its files are on another machine.
  var isNetwork: Bool { NetworkFileSystem.isType(type) }
}
