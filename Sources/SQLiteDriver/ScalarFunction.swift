// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// One call of an SQL function written in Swift: its arguments, and where its result goes.
///
/// Valid during the call only. Without a result it answers NULL.
public struct FunctionCall: ~Copyable {
  fileprivate let context: OpaquePointer
  fileprivate let arguments: UnsafeMutablePointer<OpaquePointer?>
  /// How many arguments there are.
  public let count: Int

  /// Whether an argument is NULL; arguments count from 0.
  @inline(__always)
  public func isNull(_ index: Int) -> Bool {
    sqlite3_value_type(arguments[index]) == SQLITE_NULL
  }

  /// What an argument is.
  public func type(_ index: Int) -> Statement.ValueType {
    Statement.ValueType(rawValue: sqlite3_value_type(arguments[index])) ?? .null
  }

  /// An argument as a real; 0 for what is none.
  public func double(_ index: Int) -> Double { sqlite3_value_double(arguments[index]) }

  /// An argument as an integer; 0 for what is none.
  public func int64(_ index: Int) -> Int64 { sqlite3_value_int64(arguments[index]) }

  /// The UTF-8 bytes of an argument, valid during the call.
  public func utf8(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_value_text(arguments[index])
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(arguments[index])))
  }

  /// The bytes of an argument, valid during the call.
  public func blob(_ index: Int) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(arguments[index])
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(arguments[index])))
  }

  /// An argument as a string; bytes that are not UTF-8 are repaired.
  public func string(_ index: Int) -> String { String(decoding: utf8(index), as: UTF8.self) }

  /// Answers true or false.
  public func answer(_ value: Bool) { sqlite3_result_int(context, value ? 1 : 0) }

  /// Answers an integer.
  public func answer(_ value: Int64) { sqlite3_result_int64(context, value) }

  /// Answers a real; NaN becomes NULL.
  public func answer(_ value: Double) { sqlite3_result_double(context, value) }

  /// Answers bytes, which SQLite copies.
  public func answer(blob: UnsafeRawBufferPointer) {
    sqlite3_result_blob64(
      context, blob.baseAddress ?? UnsafeRawPointer(bitPattern: 1), sqlite3_uint64(blob.count),
      SQLITE_TRANSIENT)
  }

  public func answer(_ value: String) {
    var value = value
    value.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { text in
        // An empty buffer has no address, and a null pointer would answer NULL.
        sqlite3_result_text64(
          context, text.baseAddress ?? UnsafePointer(bitPattern: 1), sqlite3_uint64(text.count),
          SQLITE_TRANSIENT, UInt8(SQLITE_UTF8))
      }
    }
  }

  public func fail(_ message: String) { sqlite3_result_error(context, message, -1) }

  /// What was made of an argument in an earlier call of the same statement, or what `make` makes
  /// now; SQLite keeps it while the argument is a constant or a bound value.
  ///
  /// All calls of one function must request the same type at the same index.
  public func cached<T: AnyObject>(_ index: Int32, make: () -> T) -> T {
    if let kept = sqlite3_get_auxdata(context, index) {
      return Unmanaged<T>.fromOpaque(kept).takeUnretainedValue()
    }
    let made = make()
    sqlite3_set_auxdata(context, index, Unmanaged.passRetained(made as AnyObject).toOpaque()) {
      if let kept = $0 { Unmanaged<AnyObject>.fromOpaque(kept).release() }
    }
    return made
  }
}

extension Connection {
  private final class FunctionBody {
    let run: @Sendable (borrowing FunctionCall) -> Void
    init(_ run: @escaping @Sendable (borrowing FunctionCall) -> Void) { self.run = run }
  }

  /// Makes a Swift closure callable from SQL; the same arguments must return the same result.
  ///
  ///     try connection.createFunction("shout", argumentCount: 1) { $0.answer($0.string(0) + "!") }
  ///     // SELECT shout('a')  →  a!
  public func createFunction(
    _ name: String, argumentCount: Int32,
    _ body: @escaping @Sendable (borrowing FunctionCall) -> Void
  ) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
      // Released by SQLite, also when this call fails.
      Unmanaged.passRetained(FunctionBody(body)).toOpaque(),
      { context, count, arguments in
        guard let context, let arguments, let data = sqlite3_user_data(context) else { return }
        Unmanaged<FunctionBody>.fromOpaque(data)._withUnsafeGuaranteedRef {
          $0.run(FunctionCall(context: context, arguments: arguments, count: Int(count)))
        }
      }, nil, nil,
      { data in if let data { Unmanaged<FunctionBody>.fromOpaque(data).release() } })
    guard code == SQLITE_OK else { throw SQLiteError(connection: handle, code: code) }
  }
}
