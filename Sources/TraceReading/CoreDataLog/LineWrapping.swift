// SPDX-License-Identifier: Apache-2.0

/// The width at which a terminal cut the lines of a log, as far as the lines show it.
struct LineWrapping {
  /// The length of the lines that ended within a word; nil if there is none.
  private var width: Int?
  /// The length of the previous line.
  private var length = 0

  /// Ends a line.
  mutating func end(_ line: UnsafeRawBufferPointer) {
    length = line.count
    // Lines that are longer were not cut there.
    if let width, length > width { self.width = nil }
  }

  /// How a line continues a statement; nil if it does not.
  mutating func joint(_ sql: String, _ line: UnsafeRawBufferPointer) -> WrappedSQL.Joint? {
    if length == width { return .direct }
    let joint = WrappedSQL.joint(sql, String(decoding: line, as: UTF8.self))
    if joint == .withinWord { width = length }
    return joint
  }
}
