// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Keeps connections of this package out of what the preloaded probe observes.
///
/// The store reports its own statements, so that the probe would count them a second time. Without
/// the probe nothing happens.
enum ProbeExclusion {
  private typealias Exclude = @convention(c) (Int32) -> Void

  private static let exclude: Exclude? = {
    // A null handle is RTLD_DEFAULT, the global scope, which holds preloaded libraries.
    guard let symbol = dlsym(nil, "sqliteprobe_exclude") else { return nil }
    return unsafeBitCast(symbol, to: Exclude.self)
  }()

  /// Opens a connection that the probe does not observe.
  static func whileOpening(_ body: () -> Int32) -> Int32 {
    guard let exclude else { return body() }
    exclude(1)
    defer { exclude(0) }
    return body()
  }
}
