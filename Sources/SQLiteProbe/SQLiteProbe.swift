// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Shows the probe connections of SQLite that it does not find by itself.
///
/// A connection of the system's SQLite is found where the probe is loaded. One of a copy within the
/// program, as a package that compiles SQLite has it, may not be:
///
///     SQLiteProbe.observe(database.sqliteConnection)
///     // trace-report record -o trace -- .build/debug/app
///
/// The probe is no part of this library: `trace-report record` loads it into the program. Without it
/// nothing is observed and nothing is changed.
public enum SQLiteProbe {
  /// Whether the probe is loaded into this process.
  public static var isLoaded: Bool { function("sqliteprobe_observe") != nil }

  /// Observes an open connection of the SQLite that the program is linked with.
  ///
  /// - Parameter handle: A `sqlite3 *`, such as `Database.sqliteConnection` of GRDB.
  /// - Returns: Whether the connection is observed; false where the probe is not loaded.
  @discardableResult
  public static func observe(_ handle: OpaquePointer) -> Bool {
    typealias Observe = @convention(c) (OpaquePointer) -> CInt
    guard let address = function("sqliteprobe_observe") else { return false }
    return unsafeBitCast(address, to: Observe.self)(handle) != 0
  }

  /// Observes an open connection of another copy of SQLite.
  ///
  /// - Parameter resolve: Returns the address of a function of that copy, such as
  ///   `sqlite3_trace_v2`, or nil.
  /// - Returns: Whether the connection is observed.
  @discardableResult
  public static func observe(
    _ handle: OpaquePointer,
    resolve: @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutableRawPointer?
  ) -> Bool {
    typealias Observe =
      @convention(c) (
        OpaquePointer, @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutableRawPointer?
      ) -> CInt
    guard let address = function("sqliteprobe_observe_using") else { return false }
    return unsafeBitCast(address, to: Observe.self)(handle, resolve) != 0
  }

  private static func function(_ name: String) -> UnsafeMutableRawPointer? {
    // RTLD_DEFAULT: a preloaded library is in the global scope.
    dlsym(nil, name)
  }
}
