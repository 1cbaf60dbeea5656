// SPDX-License-Identifier: Apache-2.0

/// The note on functions and collations that only stores have.
enum StoreNamesNote {
  /// Nil if there are none.
  static func sentence(_ names: [String]) -> String? {
    guard !names.isEmpty else { return nil }
    return names.joined(separator: ", ") + " ran as ObjectStore has "
      + (names.count == 1 ? "it" : "them") + "; Core Data's own may take another time"
  }
}
