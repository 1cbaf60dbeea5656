// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One save or batch, as the persistent history keeps it.
public struct HistoryTransaction: Hashable, Sendable {
  /// Its position in the history.
  public let token: HistoryToken
  /// When it was written.
  public let timestamp: Date
  /// The context's ``ManagedObjectContext/transactionAuthor``.
  public let author: String?
  /// The context's name; nil if it has none.
  public let contextName: String?
  /// Its changes, in the order in which they were written.
  public internal(set) var changes: [HistoryChange]
}

/// One row that a transaction wrote.
public struct HistoryChange: Hashable, Sendable {
  /// The object of the row, which may be gone since.
  public let objectID: ManagedObjectID
  /// The kind of change.
  public let kind: Kind
  /// For an update, the properties with changed values, sorted; nil if they are not known, as in a
  /// history that Core Data wrote with another model.
  public let updatedProperties: [String]?

  /// The kind of change to a row, numbered as `ZCHANGETYPE`.
  public enum Kind: Int64, Hashable, Sendable {
    /// The object was inserted, updated or deleted.
    case insert, update, delete
  }
}

/// A position in a store's history: the transactions up to one of them.
public struct HistoryToken: Hashable, Comparable, Sendable, Codable {
  /// The transaction's number in the store, from 1.
  public let transaction: Int64

  /// Whether it is further back.
  public static func < (a: HistoryToken, b: HistoryToken) -> Bool {
    a.transaction < b.transaction
  }
}
