// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Connection {
  /// Functions that are registered when a statement first needs them.
  struct DeferredFunctions {
    let prefix: String
    let register: (Connection) throws(SQLiteError) -> Void
  }

  /// Registers functions once the text of a statement has a name with their prefix.
  ///
  ///     connection.deferFunctions(named: "NSCoreData") { try $0.addStoreFunctions() }
  ///
  /// For a connection that only reads: triggers call functions that no text of a statement names.
  public func deferFunctions(
    named prefix: String, _ register: @escaping (Connection) throws(SQLiteError) -> Void
  ) {
    deferredFunctions = DeferredFunctions(prefix: prefix, register: register)
  }

  func registerFunctions(in sql: String) throws(SQLiteError) {
    guard let deferred = deferredFunctions, strstr(sql, deferred.prefix) != nil else { return }
    deferredFunctions = nil
    try deferred.register(self)
  }
}
