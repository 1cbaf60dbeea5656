// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// The SQL functions that compute what SQLite computes by other rules, or not in every build.
enum ComputedFunctions {
  static func register(on connection: Connection) throws(SQLiteError) {
    for function in PredicateFunction.allCases {
      guard case .call(let name) = function.spelling, name == function.sqlName else { continue }
      try connection.createFunction(
        name, argumentCount: Int32(function.parameterCount ?? -1)
      ) { call in
        call.answer(function.value(of: (0..<call.count).map { call.value($0) }))
      }
    }
    // Core Data's triggers of derived attributes call it. One time for a statement, as `now()` has one.
    try connection.createFunction("NSCoreDataNow", argumentCount: 0) {
      $0.answer(Date().timeIntervalSinceReferenceDate)
    }
    try connection.createFunction("NSCoreDataNumber", argumentCount: 1) { call in
      call.answer(call.value(0).asNumber)
    }
    try connection.createFunction("NSCoreDataString", argumentCount: 1) { call in
      call.answer(call.value(0).asText)
    }
    try connection.createFunction("NSCoreDataValue", argumentCount: 1) { call in
      guard case .string(let text) = call.value(0) else { return call.answer(call.value(0)) }
      call.answer(EncodedValue(text: text).value)
    }
  }
}
