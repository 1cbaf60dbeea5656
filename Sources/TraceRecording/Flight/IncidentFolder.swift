// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The folder of a flight recorder: `incident-N` for each incident, `snapshot-…` before it is
/// examined.
struct IncidentFolder {
  let path: String
  private var lastNumber = 0
  private static let prefix = "incident-"

  init(path: String) { self.path = path }

  /// The snapshots that were not examined yet, the oldest first, each with its condition's index.
  func snapshots(of conditions: Int) -> [(folder: String, condition: Int)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.compactMap { name -> (order: Int, folder: String, condition: Int)? in
      // `snapshot-when1-20261122-124510-7`
      let parts = name.split(separator: "-")
      guard parts.count == 5, parts[0] == "snapshot", let order = Int(parts[4]),
        let number = Int(parts[1].dropFirst("when".count)), (1...conditions).contains(number)
      else { return nil }
      return (order, name, number - 1)
    }
    .sorted { $0.order < $1.order }.map { (folder: $0.folder, condition: $0.condition) }
  }

  /// Makes an incident of a snapshot.
  ///
  /// - Returns: its number and its folder; nil if the folder cannot be renamed.
  mutating func claim(_ snapshot: String) -> (number: Int, folder: String)? {
    lastNumber += 1
    let folder = "\(path)/\(Self.prefix)\(lastNumber)"
    guard rename("\(path)/\(snapshot)", folder) == 0 else { return nil }
    return (lastNumber, folder)
  }

  /// Removes the folder of the last claimed number, which the next incident gets.
  mutating func discard(_ folder: String) {
    remove(folder)
    lastNumber -= 1
  }

  /// The snapshot that was taken last, when the recording ended.
  var last: String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.first { $0.hasPrefix("\(Self.lastName)-") }.map { "\(path)/\($0)" }
  }
  static let lastName = "last"

  func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }

  /// Removes the oldest incidents until all of them together fit.
  func trim(to bytes: Int) {
    var sizes = (1...max(lastNumber, 1)).compactMap { number -> (folder: String, size: Int)? in
      let folder = "\(path)/\(Self.prefix)\(number)"
      return access(folder, F_OK) == 0 ? (folder, Self.size(of: folder)) : nil
    }
    var total = sizes.reduce(0) { $0 + $1.size }
    while total > bytes, let oldest = sizes.first {
      remove(oldest.folder)
      total -= oldest.size
      sizes.removeFirst()
    }
  }

  /// The size of a folder's files on the disk.
  static func size(of folder: String) -> Int {
    guard let files = FileManager.default.enumerator(atPath: folder) else { return 0 }
    var total = 0
    while let name = files.nextObject() as? String {
      var status = stat()
      if lstat("\(folder)/\(name)", &status) == 0 { total += Int(status.st_blocks) * 512 }
    }
    return total
  }
}
