// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The facts that decide whether a program's SQLite can be observed, read from its ELF file.
struct ElfFile {
  var is64Bit: Bool
  /// The program interpreter, such as `/lib64/ld-linux-x86-64.so.2`; nil of a static program or a library.
  var interpreter: String?
  var isLibrary: Bool
  /// Whether the dynamic symbols define `sqlite3_open_v2`.
  var exportsSQLite = false
  /// Whether the symbol table of an unstripped file defines `sqlite3_open_v2`.
  var hasSQLiteSymbols = false
  /// Whether SQLite in the file has the table of functions that it passes to extensions.
  var hasExtensionTable: Bool
  /// Whether the file has the lines of its code.
  var hasDebugInformation = false
  /// Whether Go's linker made it.
  var isFromGo = false
  /// Whether the file holds SQLite's code, by the text that each database begins with.
  var containsSQLite: Bool
  /// Whether PyInstaller appended an archive of libraries, which the program unpacks when it runs.
  var hasArchive: Bool

  /// Nil if the file is no ELF file of this machine's byte order, or is damaged.
  init?(_ data: Data) {
    guard data.count > 64, data.prefix(4) == Data([0x7f, 0x45, 0x4c, 0x46]), data[5] == 1
    else { return nil }
    let bytes = LittleEndianBytes(data)
    is64Bit = data[4] == 2
    isLibrary = bytes.integer(16, 2) == 3
    containsSQLite = data.range(of: Data("SQLite format 3\0".utf8)) != nil
    // The magic number of the archive's last record.
    hasArchive =
      data.suffix(65_536).range(of: Data([0x4d, 0x45, 0x49, 0x0c, 0x0b, 0x0a, 0x0b, 0x0e])) != nil
    hasExtensionTable = data.range(of: Data("sqlite3_extension_init\0".utf8)) != nil
    guard is64Bit else { return }
    guard let headers = bytes.integer(32, 8), let size = bytes.integer(54, 2),
      let count = bytes.integer(56, 2)
    else { return nil }
    for index in 0..<min(count, 256) where bytes.integer(headers + index * size, 4) == 3 {
      guard let offset = bytes.integer(headers + index * size + 8, 8) else { continue }
      interpreter = bytes.text(offset)
    }
    readSymbols(bytes)
  }

  private mutating func readSymbols(_ bytes: LittleEndianBytes) {
    guard let sections = bytes.integer(40, 8), let size = bytes.integer(58, 2),
      let count = bytes.integer(60, 2)
    else { return }
    let nameTable = bytes.integer(62, 2).flatMap { bytes.integer(sections + $0 * size + 24, 8) }
    for index in 0..<min(count, 4096) {
      let section = sections + index * size
      if let nameTable, let name = bytes.integer(section, 4) {
        switch bytes.text(nameTable + name) {
        case ".debug_info": hasDebugInformation = true
        case ".note.go.buildid": isFromGo = true
        default: break
        }
      }
      guard let type = bytes.integer(section + 4, 4), type == 2 || type == 11,
        let offset = bytes.integer(section + 24, 8), let length = bytes.integer(section + 32, 8),
        let link = bytes.integer(section + 40, 4),
        let names = bytes.integer(sections + link * size + 24, 8)
      else { continue }
      guard bytes.defines("sqlite3_open_v2", offset, length, names) else { continue }
      if type == 11 { exportsSQLite = true } else { hasSQLiteSymbols = true }
    }
  }
}

/// Integers and texts of a file; nil beyond its end.
private struct LittleEndianBytes {
  private let data: Data

  init(_ data: Data) { self.data = data }

  func integer(_ offset: Int, _ width: Int) -> Int? {
    guard offset >= 0, offset <= data.count - width else { return nil }
    var value: UInt64 = 0
    for index in (0..<width).reversed() { value = value << 8 | UInt64(data[offset + index]) }
    return Int(exactly: value)
  }

  func text(_ offset: Int) -> String? {
    guard offset >= 0, offset < data.count else { return nil }
    return String(decoding: data[offset...].prefix { $0 != 0 }.prefix(4096), as: UTF8.self)
  }

  /// Whether a symbol table defines a function, rather than to need it.
  func defines(_ name: String, _ offset: Int, _ length: Int, _ names: Int) -> Bool {
    guard offset >= 0, length >= 0, offset <= data.count - length else { return false }
    let wanted = Data(name.utf8) + [0]
    // 2,000,000 is arbitrary: no program here has as many symbols.
    for symbol in stride(from: offset, to: offset + length - 23, by: 24).prefix(2_000_000) {
      guard let start = integer(symbol, 4), let section = integer(symbol + 6, 2), section != 0
      else { continue }
      let nameOffset = names + start
      if nameOffset >= 0, nameOffset <= data.count - wanted.count,
        data[nameOffset..<(nameOffset + wanted.count)] == wanted
      {
        return true
      }
    }
    return false
  }
}
