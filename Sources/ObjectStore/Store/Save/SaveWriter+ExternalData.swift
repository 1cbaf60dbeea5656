// SPDX-License-Identifier: Apache-2.0

import Foundation

extension SaveWriter {
  /// The values of a row in the form of their columns: attributes with external storage have their
  /// mark, large values are references to files that are written now.
  mutating func columnValues(
    _ values: [StoreValue?], of row: SavePlan.Row
  ) throws -> [StoreValue?] {
    guard !row.entity.externalSlots.isEmpty, !values.isEmpty else { return values }
    var values = values
    for slot in row.entity.externalSlots {
      guard let data = try data(values[slot], of: row, slot) else { continue }
      var written = StoreValue.data(data)
      if data.count > store.externalDataThreshold {
        written = .external(try externalData.write(data))
        values[slot] = written
      } else {
        values[slot] = .data(ExternalDataColumn.bytes(inline: data))
      }
      outcome.externalValues[row.id, default: [:]][slot] = written
    }
    return values
  }

  /// A value that an undo has restored may be in a file that its new row must not share.
  private func data(
    _ value: StoreValue?, of row: SavePlan.Row, _ slot: Int
  ) throws -> Data? {
    switch value {
    case .data(let data): data
    case .external(let reference): try data(reference, of: row, slot)
    default: nil
    }
  }

  private func data(
    _ reference: ExternalDataReference, of row: SavePlan.Row, _ slot: Int
  ) throws -> Data {
    if let known = row.readData[slot], known.reference == reference { return known.data }
    let name = row.entity.attributes[slot].name
    do {
      return try store.readExternalData(
        reference, "\(row.entity.name).\(name)", contextID: origin.contextID)
    } catch {
      throw StoreError.externalData(row.objectID, property: name, error)
    }
  }

  /// Makes files of a row unused, as it was not written after all.
  mutating func discardExternalData(of row: SavePlan.Row) {
    let written = outcome.externalValues.removeValue(forKey: row.id)
    for case .external(let reference) in (written ?? [:]).values { externalData.discard(reference) }
  }
}
