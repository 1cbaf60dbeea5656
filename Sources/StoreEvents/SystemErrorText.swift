// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An error number of the system as words: its meaning, and the advice.
public struct SystemErrorText: Hashable, Sendable {
  /// The value of `errno`.
  public let code: Int32

  public init(_ code: Int32) { self.code = code }

  /// The error of the last call of this thread that failed.
  public static var last: Self { Self(errno) }

  /// The fact, such as `No space left on device`, and the limit where it is one of the process.
  public var reason: String {
    let text = String(cString: strerror(code))
    guard code == EMFILE else { return text }
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return text }
    return "\(text) (the limit is \(limit.rlim_cur))"
  }

  /// The advice; nil if the error number does not suggest any.
  public var advice: String? {
    switch code {
    case EMFILE: "raise the limit with 'ulimit -n', or read fewer inputs at once"
    case ENFILE: "close other programs: the system has no file descriptors left"
    case ENOSPC: "free some space, or write to another disk"
    case EDQUOT: "free some space within the quota, or write to another disk"
    case EFBIG: "raise the limit with 'ulimit -f', or write to another file system"
    case EACCES, EPERM: "change its permissions, or run as a user who may use it"
    case EROFS: "write to a file system that is not read-only"
    case ENOENT, ENOTDIR: "check that its folder exists"
    case EISDIR: "pass the name of a file, not of a folder"
    case ENAMETOOLONG: "choose a shorter name"
    case ELOOP: "remove the symbolic link, or pass the path it points to"
    case ENOMEM: "free some memory, or read fewer inputs at once"
    case EPIPE: "restart the program that reads the output"
    case EIO: "check the disk and the system's log"
    case EBADF: "open the descriptor, or write to a file with -o"
    default: nil
    }
  }

  /// Both: `No space left on device; free some space, or write to another disk`.
  public var sentence: String { advice.map { "\(reason); \($0)" } ?? reason }
}
