// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// An object that a statement needs and only its own program has.
enum MissingThing {
  case function(String)
  case collation(String)
  case integerArray(String)

  init?(_ error: SQLiteError) {
    func name(after prefix: String) -> String? {
      error.message.hasPrefix(prefix) ? String(error.message.dropFirst(prefix.count)) : nil
    }
    if let name = name(after: "no such function: ") {
      self = .function(name)
    } else if let name = name(after: "no such collation sequence: ") {
      self = .collation(name)
    } else if let name = name(after: "no such table: "), IntegerArrays.isName(name) {
      self = .integerArray(name)
    } else {
      return nil
    }
  }

  var name: String {
    switch self {
    case .function(let name), .collation(let name), .integerArray(let name): name
    }
  }

  func standIn(on connection: Connection) throws(SQLiteError) {
    switch self {
    case .function(let name): try connection.addStandIn(function: name)
    case .collation(let name): try connection.addStandIn(collation: name)
    case .integerArray(let name): try connection.execute(IntegerArrays.creation(of: name))
    }
  }

  /// Runs a body again each time that it fails because of a missing object that can be replaced.
  static func retrying<T>(
    on connection: Connection, replaced: (String) -> Void = { _ in },
    _ body: () throws(SQLiteError) -> T
  ) throws(SQLiteError) -> T {
    var names: Set<String> = []
    while true {
      do throws(SQLiteError) {
        return try body()
      } catch {
        // Without this check, the same missing object would cause an endless loop.
        guard let missing = MissingThing(error), names.insert(missing.name).inserted else {
          throw error
        }
        try missing.standIn(on: connection)
        replaced(missing.name)
      }
    }
  }
}
