// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The keywords of the linked SQLite.
public enum SQLKeyword {
  /// Whether a name is one, in any case: as a name it may need quotes.
  public static func contains(_ name: String) -> Bool {
    name.withCString { sqlite3_keyword_check($0, Int32(clamping: name.utf8.count)) != 0 }
  }
}
