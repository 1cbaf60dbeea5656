// SPDX-License-Identifier: Apache-2.0

/// The tables in which Core Data keeps its own records: it makes their indexes, and may remove others.
///
///     ACHANGE  ATRANSACTION  ATRANSACTIONSTRING      persistent history
///     ANSCKRECORDMETADATA …                          CloudKit
///     Z_METADATA  Z_PRIMARYKEY  Z_1TAGS …            the model, and many-to-many relationships
public enum BookkeepingTable {
  /// Whether Core Data keeps a table for itself, by its name.
  public static func isNamed(_ name: String) -> Bool {
    isOfHistory(name) || name.hasPrefix("ANSCK") || name.hasPrefix("Z_RT_")
      || ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"].contains(name)
      || (name.hasPrefix("Z_") && name.dropFirst(2).first?.isNumber == true)
  }

  /// Whether a table holds the persistent history.
  public static func isOfHistory(_ name: String) -> Bool {
    ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(name)
  }
}
