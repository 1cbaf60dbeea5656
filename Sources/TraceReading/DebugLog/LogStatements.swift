// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// The SQL texts of a log's last lines with their ids, since hashing a text takes a thousand
/// instructions, and comparing it twenty.
struct LogStatements {
  private struct Entry {
    var sql: [UInt8] = []
    var id = StatementID(rawValue: 0)
  }

  // 64 is arbitrary: as many statements as a program runs in turns.
  private var entries = [Entry](repeating: Entry(), count: 64)
  // A longer text is rare, and would be kept for long.
  private static let longest = 4096

  /// The id of SQL that stands unescaped in a log.
  mutating func id(ofSQL bytes: UnsafeRawBufferPointer) -> StatementID {
    guard (16...Self.longest).contains(bytes.count), let base = bytes.baseAddress else {
      return StatementID(sqlBytes: bytes)
    }
    let slot = Self.slot(base, bytes.count, of: entries.count)
    let isSame = entries[slot].sql.withUnsafeBytes { known in
      known.count == bytes.count
        && known.baseAddress.map { memcmp($0, base, bytes.count) == 0 } == true
    }
    if isSame { return entries[slot].id }
    entries[slot] = Entry(sql: Array(bytes), id: StatementID(sqlBytes: bytes))
    return entries[slot].id
  }

  /// Mixes the length with the middle and the end, in which most statements differ.
  private static func slot(_ base: UnsafeRawPointer, _ count: Int, of slotCount: Int) -> Int {
    var hash = UInt64(truncatingIfNeeded: count)
    hash ^= base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    hash = hash &* 0x9e37_79b9_7f4a_7c15
    hash ^= base.loadUnaligned(fromByteOffset: count / 2, as: UInt64.self) ^ hash >> 29
    hash = hash &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: hash >> 40) & (slotCount - 1)
  }
}

extension StatementID {
  /// Hashes SQL that stands unescaped in a log.
  fileprivate init(sqlBytes: UnsafeRawBufferPointer) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in sqlBytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    self.init(rawValue: hash)
  }
}
