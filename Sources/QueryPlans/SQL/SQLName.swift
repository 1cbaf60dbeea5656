// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension [String] {
  /// Whether a name is among them, in any case.
  package func containsName(_ name: String) -> Bool {
    contains { $0.lowercased() == name.lowercased() }
  }
}

/// Names in SQL that is printed for a user to run.
public enum SQLName {
  /// A name as written, or in double quotes if SQLite would not parse it as a name.
  public static func quotedIfNeeded(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy {
      $0 == UInt8(ascii: "_") || (0x30...0x39).contains($0) || (0x41...0x5a).contains($0 & 0xdf)
    }
    let isName = isPlain && name.utf8.first.map { $0 > 0x39 } == true && !SQLKeyword.contains(name)
    return isName ? name : PlanExplainer.quoted(name)
  }
}
