// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes the data that a batch's rows have in attributes with external storage.
final class BatchExternalData {
  private let files: ExternalDataTransaction
  private let threshold: Int
  private let isExternal: [Bool]
  /// The references of the row that is filled, by slot.
  private var references: [Int: ExternalDataReference] = [:]
  /// The error that occurred while a row was filled, if nothing can be thrown.
  private(set) var error: (any Error)?

  /// Nil for an entity without such attributes.
  init?(_ entity: EntityDescription, _ files: ExternalDataTransaction, _ threshold: Int) {
    guard !entity.externalSlots.isEmpty else { return nil }
    self.files = files
    self.threshold = threshold
    isExternal = entity.attributes.map(\.allowsExternalBinaryDataStorage)
  }

  func begin() { references = [:] }

  func columnValue(_ value: StoreValue, _ slot: Int) -> StoreValue {
    guard slot < isExternal.count, isExternal[slot] else { return value }
    // A row may set an attribute twice.
    if let reference = references.removeValue(forKey: slot) { files.discard(reference) }
    guard case .data(let data) = value else { return value }
    guard data.count > threshold else { return .data(ExternalDataColumn.bytes(inline: data)) }
    do {
      let reference = try files.write(data)
      references[slot] = reference
      return .external(reference)
    } catch {
      self.error = self.error ?? error
      return .null
    }
  }

  /// The row was left out.
  func discardRow() {
    for reference in references.values { files.discard(reference) }
    references = [:]
  }
}
