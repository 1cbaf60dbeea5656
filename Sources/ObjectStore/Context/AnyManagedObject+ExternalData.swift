// SPDX-License-Identifier: Apache-2.0

import Foundation

extension AnyManagedObject {
  /// A value, read from its file if it is in one; NULL if the file cannot be read, which the
  /// context then reports as its `faultError`.
  final func loaded(_ value: StoreValue, _ slot: Int) -> StoreValue {
    guard case .external(let reference) = value else { return value }
    do {
      return .data(try externalData(reference, slot))
    } catch {
      guard let context else {
        fatalError(
          "\(entity.name).\(entity.attributes[slot].name) was read from its file after its context "
            + "was reset or released; keep the context while its objects are in use")
      }
      context.recordFaultError(error)
      return .null
    }
  }

  /// The data of a file, which the object keeps until it is refreshed.
  final func externalData(_ reference: ExternalDataReference, _ slot: Int) throws -> Data {
    if let known = links?.externalData[slot], known.reference == reference { return known.data }
    guard let context else { throw StoreError.contextGone(objectID) }
    let name = entity.attributes[slot].name
    do {
      let data = try context.store.readExternalData(
        reference, "\(entity.name).\(name)", contextID: context.contextID)
      makeLinks().externalData[slot] = (reference, data)
      return data
    } catch {
      throw StoreError.externalData(objectID, property: name, error)
    }
  }

  /// Whether a value is that of a row, which may be in a file.
  final func isSaved(_ value: StoreValue, in row: RowSnapshot, _ slot: Int) -> Bool {
    let saved = row.storeValue(slot, in: entity)
    guard case .external(let reference) = saved, case .data(let data) = value else {
      return saved == value
    }
    return context?.store.externalData.holds(data, reference) == true
  }
}
