// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The functions by which Core Data's triggers report a row with a derived attribute that they have set.
///
///     CREATE TRIGGER Z_DA_ZITEM_Item_update_UPDATE AFTER UPDATE OF Z_OPT ON ZITEM FOR EACH ROW BEGIN
///       UPDATE ZITEM SET ZUPDATE = NSCoreDataNow() WHERE Z_PK = NEW.Z_PK;
///       SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue(
///         'ZITEM', Z_ENT, Z_PK, 'update', ZUPDATE) FROM ZITEM WHERE Z_PK = NEW.Z_PK; END
///
/// Without them every statement fails that such a trigger follows.
enum RowTriggerFunction {
  private static let names = [
    "NSCoreDataTriggerUpdateAffectedObjectValue",
    "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    "NSCoreDataDATriggerUpdatedAffectedObjectValue",
  ]

  /// - Parameter report: receives the `Z_ENT` and the `Z_PK` of a row.
  static func register(
    on connection: Connection, _ report: @escaping @Sendable (Int64, Int64) -> Void
  ) throws(SQLiteError) {
    for name in names {
      // The table, `Z_ENT`, `Z_PK`, the property and its value.
      try connection.createFunction(name, argumentCount: 5) { report($0.int64(1), $0.int64(2)) }
    }
  }
}
