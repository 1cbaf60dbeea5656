// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension ProfileBuilder {
  /// Resets all counts; texts and running fetches are kept.
  mutating func resetCounts() {
    var new = ProfileBuilder(filter)
    new.texts = texts
    new.stores = stores
    new.processes = processes
    new.pendingFetches = pendingFetches
    new.pendingMisses = pendingMisses
    new.batchedFetches = batchedFetches
    new.commits = commits
    new.origins = origins
    self = new
  }
}
