// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The hash of a file's bytes, or of the names and bytes of all files beneath a folder.
public enum FolderHash {
  // 32 is arbitrary: LTTng's archived chunks lie seven deep, a relayed trace beneath 16 labels more.
  private static let maxLevels = 32
  private static let blockSize = 1 << 20

  /// Returns nil if a file cannot be read; the reason is in `errno`.
  ///
  /// - Parameter excluded: a name at the top that is left out; hidden files are, at every level.
  public static func hash(of path: String, excluding excluded: String? = nil) -> ContentHash? {
    var hash = ContentHash()
    return add(path, named: "", excluding: excluded, depth: 0, to: &hash) ? hash : nil
  }

  private static func add(
    _ path: String, named name: String, excluding excluded: String?, depth: Int,
    to hash: inout ContentHash
  ) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    hash.add(name)
    guard status.st_mode & S_IFMT == S_IFDIR else { return addFile(path, to: &hash) }
    guard depth < maxLevels else {
      errno = ELOOP
      return false
    }
    guard let names = entries(of: path) else { return false }
    for entry in names where entry != excluded {
      guard
        add("\(path)/\(entry)", named: entry, excluding: nil, depth: depth + 1, to: &hash)
      else { return false }
    }
    return true
  }

  private static func addFile(_ path: String, to hash: inout ContentHash) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
    defer { block.deallocate() }
    while true {
      // Whole blocks, so that the pieces are the same each time.
      var filled = 0
      while filled < blockSize {
        let count = read(file, block.baseAddress?.advanced(by: filled), blockSize - filled)
        if count < 0, errno == EINTR { continue }
        if count < 0 { return false }
        if count == 0 { break }
        filled += count
      }
      hash.add(UnsafeRawBufferPointer(rebasing: block[..<filled]))
      if filled < blockSize { return true }
    }
  }

  private static func entries(of path: String) -> [String]? {
    guard let directory = opendir(path) else { return nil }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }
}
