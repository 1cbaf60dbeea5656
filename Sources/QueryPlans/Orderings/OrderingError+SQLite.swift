// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension OrderingError {
  /// SQL that only its own program can compile; nil for what is wrong in itself.
  init?(compiling error: SQLiteError) {
    func name(after prefix: String) -> String? {
      guard error.message.hasPrefix(prefix) else { return nil }
      return String(error.message.dropFirst(prefix.count).prefix { $0 != "(" })
    }
    if let name = name(after: "no such function: ") ?? name(after: "no such collation sequence: ") {
      self = .needsProgram(name)
    } else if let name = name(after: "wrong number of arguments to function "),
      StoreNames.isStoreName(name)
    {
      self = .otherArguments(name)
    } else {
      return nil
    }
  }

  /// Runs a statement for the first time: though it compiled, a function may not take its arguments.
  ///
  /// - Throws: ``failsHere(reason:)``, or ``SQLiteError``.
  static func explaining<R>(_ run: () throws(SQLiteError) -> R) throws -> R {
    do throws(SQLiteError) {
      return try run()
    } catch {
      guard error.isMistake else { throw error }
      throw OrderingError.failsHere(reason: error.message)
    }
  }
}
