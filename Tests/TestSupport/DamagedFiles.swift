// SPDX-License-Identifier: Apache-2.0

public import Foundation
import StoreEvents

/// Inputs of several files each, damaged at random, the same way for the same seed.
public struct DamagedFiles {
  /// The files of one seed, by their names.
  public struct Case {
    public var files: [String: [UInt8]]
    /// The names of the files that differ from the whole input.
    public var damagedNames: Set<String> = []

    /// Writes the files into a folder, which is emptied before.
    public func write(to folder: URL) throws {
      try? FileManager.default.removeItem(at: folder)
      for (name, bytes) in files {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
      }
    }
  }

  /// Whole inputs.
  private let samples: [[String: [UInt8]]]
  private let words: [String]
  private let isText: (String) -> Bool

  public init(
    _ samples: [[String: [UInt8]]], words: [String] = Damage.logWords,
    isText: @escaping (String) -> Bool = { _ in true }
  ) {
    self.samples = samples
    self.words = words
    self.isText = isText
  }

  public func files(seed: UInt64) -> Case {
    var damage = Damage(seed: seed, words: words)
    let whole = damage.choose(samples) ?? [:]
    var result = Case(files: whole)
    // Most damage lies in one file, as on a disk.
    for _ in 0..<damage.number(in: 1...2) {
      guard let name = damage.choose(result.files.keys.sorted()) else { break }
      result.files[name] = damage.damaged(result.files[name] ?? [], isText: isText(name))
      if damage.number(in: 0...99) == 0 { result.files[name] = nil }
    }
    result.damagedNames = Set(whole.keys.filter { whole[$0] != result.files[$0] })
    return result
  }
}

extension DamagedFiles {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Traces with metadata in plain text and in packets, and one of LTTng's own, with an index.
  ///
  /// - Parameter folder: where they are built.
  public static func traces(in folder: URL) throws -> DamagedFiles {
    let built = try [false, true].map { packetizesMetadata in
      var options = TraceBuilder.Options()
      options.packetSize = 1024
      options.packetizesMetadata = packetizesMetadata
      var trace = TraceBuilder(options: options)
      var samples = EventSamples(seed: 31)
      for (index, record) in samples.records(39).enumerated() {
        trace.add(record, stream: index % 2)
      }
      let place = folder.appending(path: "built")
      defer { try? FileManager.default.removeItem(at: place) }
      try trace.write(to: place)
      return try files(in: place)
    }
    let samples = try built + [files(in: root.appending(path: "traces/before"))]
    return DamagedFiles(samples) { $0.hasSuffix("metadata") }
  }

  private static func files(in folder: URL) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let file = folder.appending(path: name)
      guard let data = try? Data(contentsOf: file) else { continue }
      files[name] = Array(data)
    }
    return files
  }
}
