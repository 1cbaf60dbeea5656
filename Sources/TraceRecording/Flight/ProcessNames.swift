// SPDX-License-Identifier: Apache-2.0

import Glibc
public import StoreEvents

/// The names of processes by their command lines, as the probe makes them: `python3 app.py`.
///
/// A trace has a process's name in the events of its connections, which newer events may overwrite.
public struct ProcessNames: Sendable {
  private var names: [Int64: String] = [:]

  public init() {}

  public mutating func add(_ ids: [Int32]) {
    for id in ids {
      if let name = Self.name(ofCommand: Self.command(id)) { names[Int64(id)] = name }
    }
  }

  public func name(of process: ProcessIdentity) -> String { names[process.id] ?? process.name }

  /// The program and, for an interpreter, its script.
  static func name(ofCommand words: [String]) -> String? {
    guard let program = words.first.map(lastComponent), !program.isEmpty else { return nil }
    guard interpreters.contains(where: program.hasPrefix) else { return program }
    var name = program
    for (index, word) in words.enumerated().dropFirst() {
      if word == "-m" { return "\(name) -m \(words.dropFirst(index + 1).first ?? "")" }
      if ["-c", "-e", "-r"].contains(word) { return "\(name) \(word)" }
      if !word.hasPrefix("-") {
        name += " \(lastComponent(word))"
        break
      }
    }
    return name
  }

  private static let interpreters = ["python", "pypy", "php", "ruby", "perl", "tclsh", "node"]

  private static func lastComponent(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  private static func command(_ id: Int32) -> [String] {
    guard let file = fopen("/proc/\(id)/cmdline", "re") else { return [] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = fread(&bytes, 1, bytes.count, file)
    return bytes[..<count].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}
