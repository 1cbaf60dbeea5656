// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file of a database that a process has open.
struct OpenFile: Hashable {
  var kind: UnlinkedFile.Kind
  var descriptor: Int32
  /// As `/proc/PID/fd` has it, with " (deleted)" behind a name that is gone.
  var target: String

  /// The suffix that the kernel appends to the path of a file that was removed or replaced.
  static let removedSuffix = " (deleted)"

  /// The path without the kernel's remark.
  static func name(_ target: String) -> String {
    target.hasSuffix(removedSuffix) ? String(target.dropLast(removedSuffix.count)) : target
  }

  var name: String { Self.name(target) }

  /// Whether the file has lost the name by which it was opened.
  func isUnlinked(_ pid: Int32) -> Bool {
    guard target.hasSuffix(Self.removedSuffix) else { return false }
    // A file can have such a name.
    let own = FileIdentity(path: "/proc/\(pid)/fd/\(descriptor)")
    return FileIdentity(path: "/proc/\(pid)/root\(target)") != own
  }

  /// Whether it was opened for reading only; false where that is not visible.
  func isReadOnly(_ pid: Int32) -> Bool {
    guard let text = ProcFile.text("/proc/\(pid)/fdinfo/\(descriptor)"),
      let flags = ProcFile.field("flags", in: text).flatMap({ Int32($0, radix: 8) })
    else { return false }
    return flags & O_ACCMODE == O_RDONLY
  }
}
