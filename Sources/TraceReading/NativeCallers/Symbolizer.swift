// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Finds functions and lines by `llvm-symbolizer`, or by `addr2line` of binutils where that is missing.
///
/// LLVM's is the first since it reads the debug information of Swift and Rust as well, of any number of
/// files in one process.
final class Symbolizer {
  private enum Kind { case llvm, binutils }

  private let path: String
  private let kind: Kind
  /// By file; LLVM's has one for all files.
  private var processes: [String: SymbolizerProcess] = [:]

  /// Nil if neither program is in the folders of `PATH`.
  init?() {
    // With the suffixes of Debian for parallel versions.
    let names = ["llvm-symbolizer"] + (11...30).reversed().map { "llvm-symbolizer-\($0)" }
    if let path = names.lazy.compactMap(Self.find).first {
      (self.path, kind) = (path, .llvm)
    } else if let path = Self.find("addr2line") {
      (self.path, kind) = (path, .binutils)
    } else {
      return nil
    }
  }

  /// The functions at an address, the innermost of inlined ones first; empty if they are not known.
  func lines(at address: UInt64, in module: String) -> [SymbolizedLine] {
    let hex = "0x" + String(address, radix: 16)
    switch kind {
    case .llvm:
      let process = process("") { SymbolizerProcess(path, ["--inlines", "--demangle"]) }
      let answer = process?.answer(to: "CODE \"\(module)\" \(hex)") { $0.isEmpty }
      return Self.lines(answer ?? [])
    case .binutils:
      let process = process(module) {
        SymbolizerProcess(path, ["-f", "-i", "-C", "-a", "-e", module])
      }
      // It does not mark the end of a response. The next address, which it repeats with its own two
      // lines, does.
      let end = "0x" + String(repeating: "f", count: 16)
      var linesOfEnd = 0
      let answer = process?.answer(to: "\(hex)\n\(end)") {
        if linesOfEnd > 0 || $0 == end { linesOfEnd += 1 }
        return linesOfEnd == 3
      }
      return Self.lines(answer?.dropFirst().prefix { $0 != end } ?? [])
    }
  }

  private func process(_ module: String, _ start: () -> SymbolizerProcess?) -> SymbolizerProcess? {
    if let process = processes[module] { return process }
    // 16 is arbitrary: a program and its libraries that have debug information.
    if processes.count >= 16 { processes = [:] }
    processes[module] = start()
    return processes[module]
  }

  /// Reads pairs of a function and a location: `/src/list.c:12:3`, or
  /// `/src/list.c:12 (discriminator 2)`.
  private static func lines(_ answer: some Collection<Substring>) -> [SymbolizedLine] {
    var lines: [SymbolizedLine] = []
    var function: Substring?
    for text in answer {
      guard let name = function else {
        function = text
        continue
      }
      function = nil
      var location = text.split(separator: " (discriminator", maxSplits: 1).first ?? text
      var numbers: [UInt64] = []
      while numbers.count < 2, let colon = location.lastIndex(of: ":"),
        let number = UInt64(location[location.index(after: colon)...])
      {
        numbers.append(number)
        location = location[..<colon]
      }
      let isKnown = !location.hasPrefix("??") && !location.isEmpty
      lines.append(
        SymbolizedLine(
          function: name == "??" ? "" : String(name), file: isKnown ? String(location) : "",
          line: isKnown ? numbers.last ?? 0 : 0))
    }
    return lines
  }

  private static func find(_ name: String) -> String? {
    guard let folders = getenv("PATH") else { return nil }
    return String(cString: folders).split(separator: ":").lazy.map { "\($0)/\(name)" }
      .first { access($0, X_OK) == 0 }
  }
}
