// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreInstruments

extension PersistentStore {
  /// Reads a file and emits its event; the name of the attribute, `Photo.blob`, is for messages.
  func readExternalData(
    _ reference: ExternalDataReference, _ attribute: String, contextID: UInt64
  ) throws(ExternalDataProblem) -> Data {
    guard instruments.wants(.events) else { return try externalData.read(reference) }
    let start = TraceClock.now
    let data = try externalData.read(reference)
    let microseconds = (TraceClock.now - start) / 1000
    instruments.annotate(
      "external data: \(data.count) bytes of \(attribute) in \(microseconds) µs",
      contextID: contextID)
    return data
  }
}
