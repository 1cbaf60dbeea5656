// SPDX-License-Identifier: Apache-2.0

import CSQLite

extension Connection {
  /// Compares the UTF-8 of two texts: below, at or above 0.
  public typealias CollationBody =
    @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int32

  private final class Collation {
    let compare: CollationBody
    init(_ compare: @escaping CollationBody) { self.compare = compare }
  }

  /// Registers an order of texts with SQL; it must be reflexive, transitive and constant.
  ///
  ///     try connection.createCollation("Reversed") { b, a in memcmp(a.baseAddress!, …) }
  ///     // SELECT ZNAME FROM ZSTOP ORDER BY ZNAME COLLATE Reversed
  public func createCollation(
    _ name: String, _ compare: @escaping CollationBody
  ) throws(SQLiteError) {
    let collation = Unmanaged.passRetained(Collation(compare))
    let code = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, collation.toOpaque(),
      { context, countA, a, countB, b in
        guard let context else { return 0 }
        return Unmanaged<Collation>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.compare(utf8(a, countA), utf8(b, countB))
        }
      },
      { context in if let context { Unmanaged<Collation>.fromOpaque(context).release() } })
    guard code == SQLITE_OK else {
      // Unlike a function's, a collation's destructor is not called when this call fails.
      collation.release()
      throw SQLiteError(connection: handle, code: code)
    }
  }
}

/// An empty text has no address.
private func utf8(_ start: UnsafeRawPointer?, _ count: Int32) -> UnsafeBufferPointer<UInt8> {
  UnsafeBufferPointer(
    start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : Int(count))
}
