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
}
