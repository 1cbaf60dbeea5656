// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension OrderingError {
  /// SQL that only its own program can compile; nil for SQL with an error of its own.
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

  // A minute: the scan of a table of a hundred million rows.
  static let maxSteps = 1_000_000_000

  /// Ends a run that takes too many steps, such as one that reads a view without an end.
  static func bounding<R>(
    _ connection: Connection, maxSteps: Int = OrderingError.maxSteps, _ body: () throws -> R
  ) throws -> R {
    let pause: Int32 = 100_000
    var steps = 0
    do {
      return try connection.interrupting(
        when: {
          steps += Int(pause)
          return steps > maxSteps
        }, every: pause, body)
    } catch let error as SQLiteError where error.isInterruption && steps > maxSteps {
      throw OrderingError.tooManySteps
    }
  }

  /// Runs a statement for the first time: though it compiled, a function may not take its arguments.
  static func explaining<R>(_ run: () throws(SQLiteError) -> R) throws -> R {
    do throws(SQLiteError) {
      return try run()
    } catch {
      guard error.isMistake else { throw error }
      throw OrderingError.failsHere(reason: error.message)
    }
  }
}
