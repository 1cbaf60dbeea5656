// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Names, inodes, types, modes, modification times and bytes of all files of a folder: unchanged by
/// a program that only reads.
public struct FolderSnapshot: Equatable, CustomStringConvertible {
  private var files: [String: String] = [:]
  private var changed = ""

  /// - Parameter readsBytes: false where this process has a database of the folder open: reading the
  ///   file drops the locks of the process.
  public init(_ folder: URL, readsBytes: Bool = true) throws {
    var status = stat()
    guard stat(folder.path, &status) == 0 else { return }
    // A file that was made and removed again changes it.
    changed = "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let path = folder.appending(path: name).path
      guard lstat(path, &status) == 0 else { continue }
      var text = "\(status.st_ino) \(String(status.st_mode, radix: 8)) \(status.st_size) "
      text += "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
      if status.st_mode & S_IFMT == S_IFREG, readsBytes {
        text += " \(Self.digest(try Data(contentsOf: URL(filePath: path))))"
      } else if status.st_mode & S_IFMT == S_IFLNK {
        text += " " + (try FileManager.default.destinationOfSymbolicLink(atPath: path))
      }
      files[name] = text
    }
  }

  public var names: [String] { files.keys.sorted() }

  public var description: String {
    (files.sorted { $0.key < $1.key }.map { "\($0): \($1)" } + ["the folder: \(changed)"])
      .joined(separator: "\n")
  }

  /// FNV-1a.
  private static func digest(_ data: Data) -> UInt64 {
    data.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
  }
}
