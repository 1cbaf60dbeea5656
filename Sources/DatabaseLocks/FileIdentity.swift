// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file, whatever its name: two names with one identity are one file.
public struct FileIdentity: Hashable, Sendable {
  public var device: UInt64
  public var inode: UInt64

  /// Follows symbolic links, also links of `/proc/PID/fd`.
  ///
  /// - Returns: nil if there is no such file, or it is no regular file.
  public init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// A file as the kernel's list of locks names it: `fe:00:16236562`.
///
/// The device is the one of the file system, which for Btrfs and some overlays is not the one that
/// `stat` reports.
public struct LockedFile: Hashable, Sendable {
  public var major: UInt32
  public var minor: UInt32
  public var inode: UInt64

  init(major: UInt32, minor: UInt32, inode: UInt64) {
    self.major = major
    self.minor = minor
    self.inode = inode
  }

  init?(_ text: Substring) {
    let parts = text.split(separator: ":")
    guard parts.count == 3, let major = UInt32(parts[0], radix: 16),
      let minor = UInt32(parts[1], radix: 16), let inode = UInt64(parts[2])
    else { return nil }
    self.init(major: major, minor: minor, inode: inode)
  }

  /// The layout of `st_dev`: <https://man7.org/linux/man-pages/man3/makedev.3.html>.
  init(_ identity: FileIdentity) {
    let device = identity.device
    self.init(
      major: UInt32(truncatingIfNeeded: (device >> 8 & 0xfff) | (device >> 32 & 0xffff_f000)),
      minor: UInt32(truncatingIfNeeded: (device & 0xff) | (device >> 12 & 0xffff_ff00)),
      inode: identity.inode)
  }
}
