// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The fetch that made an object, shared by all objects that it made.
final class FetchOrigin {
  let fetchID: UInt64
  let location: SourceLocation

  init(fetchID: UInt64, location: SourceLocation) {
    self.fetchID = fetchID
    self.location = location
  }
}
