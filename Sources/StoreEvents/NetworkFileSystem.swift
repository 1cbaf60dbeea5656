// SPDX-License-Identifier: Apache-2.0

/// The file systems with files on another machine, by their types in the kernel's list of mounts.
///
/// Not 9p, virtiofs and most of FUSE: virtual machines and containers use them for folders of their host.
public enum NetworkFileSystem {
  private static let types: Set = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "lustre", "glusterfs", "afs", "beegfs", "gpfs",
    "fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone", "fuse.ceph", "fuse.juicefs",
    "fuse.gcsfuse",
  ]

  /// Whether a type is one of them.
  public static func isType(_ type: String) -> Bool { types.contains(type) }
}
