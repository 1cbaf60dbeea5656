// SPDX-License-Identifier: Apache-2.0

import Glibc

// What levels 2 and 3 add.
extension LogLines {
  /// Longer text is cut here, and its length stated: enough to recognize a value.
  private static let longestText = 256

  /// One bound value, such as `SQLite bind[0] = (double) 13.41`.
  mutating func binding(_ value: BoundValue, at index: Int) {
    line(.details) { text in
      text.append("SQLite bind[")
      text.append(Int64(index))
      text.append("] = ")
      switch value {
      case .null: text.append("nil")
      case .integer(let value):
        text.append("(int64) ")
        text.append(value)
      case .real(let value):
        text.append("(double) ")
        text.append(verbatim: "\(value)")
      case .text(let value): text.append(cutting: value, to: Self.longestText)
      case .timestamp(let value): text.append(timestamp: value)
      case .blob(let prefix, let count):
        text.append("(blob) ")
        text.append(Int64(count))
        text.append(" bytes x'")
        text.append(hex: prefix.prefix(32))
        text.append(count > min(prefix.count, 32) ? "…'" : "'")
      }
    }
  }

  /// The ids of returned objects, eight a line.
  mutating func objects(_ uris: [String], entity: String) {
    line(.details) { text in
      text.append("fetch on entity '")
      text.append(escaping: entity)
      text.append("' returned ")
      text.append(Int64(uris.count))
      text.append(uris.isEmpty ? " rows" : " rows with ids:")
    }
    for start in stride(from: 0, to: uris.count, by: 8) {
      line(.details) { text in
        text.append(" ")
        for uri in uris[start..<min(start + 8, uris.count)] {
          text.append(" <")
          text.append(escaping: uri)
          text.append(">")
        }
      }
    }
  }
}

extension LogBuffer {
  fileprivate func append(cutting text: String, to limit: Int) {
    guard text.utf8.count > limit else { return append(quoting: text) }
    append(quoting: String(text.unicodeScalars.prefix(limit)))
    append(" (cut; ")
    append(Int64(text.utf8.count))
    append(" bytes)")
  }

  /// Appends seconds since 2001 and, where the calendar goes that far, the date in UTC.
  fileprivate func append(timestamp seconds: Double) {
    append("(timestamp) ")
    append(verbatim: "\(seconds)")
    guard seconds.magnitude < 1e11 else { return }
    append(" (")
    append(date: time_t(seconds.rounded(.down)) + 978_307_200)
    append(" UTC)")
  }

  fileprivate func append(hex bytes: some Sequence<UInt8>) {
    for byte in bytes {
      let digits: StaticString = "0123456789abcdef"
      append(byte: digits.utf8Start[Int(byte >> 4)])
      append(byte: digits.utf8Start[Int(byte & 15)])
    }
  }
}
