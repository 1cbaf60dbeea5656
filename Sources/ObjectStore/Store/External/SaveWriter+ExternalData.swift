// SPDX-License-Identifier: Apache-2.0

import Foundation

extension SaveWriter {
  /// The values of an object as their columns hold them: those of attributes with external storage
  /// with their mark, large ones as references to files that are written now.
  ///
  /// - Throws: ``StoreError``: `full`, `cannotWriteExternalData`; `externalData` where a value has to
  ///   be read from another file, and cannot.
  mutating func columnValues(
    _ values: [StoreValue?], of object: AnyManagedObject
  ) throws -> [StoreValue?] {
    guard !object.entity.externalSlots.isEmpty, !values.isEmpty else { return values }
    var values = values
    for slot in object.entity.externalSlots {
      guard let data = try data(values[slot], of: object, slot) else { continue }
      var written = StoreValue.data(data)
      if data.count > store.externalDataThreshold {
        written = .external(try externalData.write(data))
        values[slot] = written
      } else {
        values[slot] = .data(ExternalDataColumn.bytes(inline: data))
      }
      outcome.externalValues[ObjectIdentifier(object), default: [:]][slot] = written
    }
    return values
  }

  /// A value that an undo has brought back may lie in a file that its new row must not share.
  private func data(
    _ value: StoreValue?, of object: AnyManagedObject, _ slot: Int
  ) throws -> Data? {
    switch value {
    case .data(let data): data
    case .external(let reference): try object.externalData(reference, slot)
    default: nil
    }
  }

  /// Makes files of an object unused, as its row was not written after all.
  mutating func discardExternalData(of object: AnyManagedObject) {
    let written = outcome.externalValues.removeValue(forKey: ObjectIdentifier(object))
    for case .external(let reference) in (written ?? [:]).values { externalData.discard(reference) }
  }
}
