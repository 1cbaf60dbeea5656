// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import StoreEvents
import TraceReading

/// Lines that wait for a collector, each in a file that is written atomically.
///
///     0000000001-traces.json    0000000002-metrics.json    refused-0000000003-traces.json
final class OTLPSpool {
  let folder: String
  private let maxBytes: Int
  /// Oldest first.
  private var files: [(name: String, bytes: Int)] = []
  private var number = 0
  private var lock: Int32

  /// - Throws: ``Failure`` if the folder cannot be used, or another export uses it.
  init(folder: String, maxBytes: Int) throws {
    self.folder = folder
    self.maxBytes = maxBytes
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Self.failure(folder) }
    lock = open("\(folder)/.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw Self.failure(folder) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw Failure(
        "another export uses the spool \(LogText.quoted(folder)); wait for it, or name another one")
    }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw Self.failure(folder)
    }
    for name in names.sorted() where !name.hasPrefix(".") {
      let digits = name.hasPrefix("refused-") ? name.dropFirst(8) : name[...]
      number = max(number, digits.prefix(10).count == 10 ? Int(digits.prefix(10)) ?? 0 : 0)
      guard Self.signal(of: name) != nil else { continue }
      var status = stat()
      if stat("\(folder)/\(name)", &status) == 0 { files.append((name, Int(status.st_size))) }
    }
  }

  deinit { if lock >= 0 { close(lock) } }

  var isEmpty: Bool { files.isEmpty }
  var count: Int { files.count }
  var isFull: Bool { files.reduce(0) { $0 + $1.bytes } >= maxBytes }

  /// The oldest line.
  ///
  /// A line that cannot be read is an error, because it would be lost.
  var first: (line: String, signal: OTLPSender.Signal)? {
    get throws {
      guard let file = files.first, let signal = Self.signal(of: file.name) else { return nil }
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(file.name)") else {
        throw Self.failure("\(folder)/\(file.name)")
      }
      return (String(decoding: data, as: UTF8.self), signal)
    }
  }

  func add(_ line: String, _ signal: OTLPSender.Signal) throws {
    let name = try write(line, signal, prefix: "")
    files.append((name, line.utf8.count))
  }

  func removeFirst() throws {
    guard let file = files.first else { return }
    guard unlink("\(folder)/\(file.name)") == 0 else {
      throw Self.failure("\(folder)/\(file.name)")
    }
    files.removeFirst()
  }

  /// Keeps a request that a collector refused permanently, and returns the file's name.
  func keepRefused(_ line: String, _ signal: OTLPSender.Signal) throws -> String {
    try write(line, signal, prefix: "refused-")
  }

  private func write(
    _ line: String, _ signal: OTLPSender.Signal, prefix: String
  ) throws -> String {
    number += 1
    let digits = String(number)
    let name =
      prefix + String(repeating: "0", count: max(0, 10 - digits.count)) + digits
      + "-\(signal.rawValue).json"
    try Output.write(line, toFile: "\(folder)/\(name)")
    return name
  }

  private static func signal(of name: String) -> OTLPSender.Signal? {
    let parts = name.split(separator: "-", maxSplits: 1)
    guard parts.count == 2, parts[0].count == 10, parts[0].allSatisfy(\.isNumber),
      parts[1].hasSuffix(".json")
    else { return nil }
    return OTLPSender.Signal(rawValue: String(parts[1].dropLast(5)))
  }

  private static func failure(_ path: String) -> Failure {
    Failure("cannot use \(LogText.quoted(path)): \(SystemErrorText.last.sentence)")
  }
}
