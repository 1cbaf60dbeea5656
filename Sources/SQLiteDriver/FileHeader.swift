// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The first bytes of a file.
struct FileHeader {
  let bytes: [UInt8]

  init?(path: String, count: Int = 100) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    // Closing drops this process's POSIX locks on the file: read before SQLite opens it.
    defer { close(descriptor) }
    var length = 0
    bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      length = max(0, read(descriptor, buffer.baseAddress, count))
      initialized = length
    }
  }
}
