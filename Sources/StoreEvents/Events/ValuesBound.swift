// SPDX-License-Identifier: Apache-2.0

/// The values that a run of a statement bound, which may be private.
///
/// Written only where the program's environment or the store's options enable it, and only of
/// some runs of a statement: the first distinct values, then a sample.
public struct ValuesBound: EventPayload {
  @inlinable
  public static var name: StaticString { "values" }

  public var storeID: UInt64
  public var statementID: StatementID
  /// SQL literals separated by `, `, as ``RecordedValues`` reads them.
  public var values: String

  @inlinable
  public init(
    storeID: UInt64,
    statementID: StatementID,
    values: String
  ) {
    self.storeID = storeID
    self.statementID = statementID
    self.values = values
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("store_id", storeID)
    fields.field("statement_id", statementID.rawValue)
    fields.field("values", values)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    storeID = try fields.uint64("store_id")
    statementID = StatementID(rawValue: try fields.uint64("statement_id"))
    values = try fields.string("values")
  }
}
