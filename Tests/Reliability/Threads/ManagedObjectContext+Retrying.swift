// SPDX-License-Identifier: Apache-2.0

package import ObjectStore

extension ManagedObjectContext {
  /// Saves changes, repeated after each conflict on the current objects.
  ///
  /// - Returns: how many conflicts there were.
  package func saveRetrying(_ change: () throws -> Void) throws -> Int {
    // A few others at most write the same rows.
    for attempt in 0..<10_000 {
      try change()
      do {
        try save()
        return attempt
      } catch StoreError.conflict(let conflicts) {
        for conflict in conflicts {
          try refresh(object(with: conflict.objectID), mergeChanges: false)
        }
        // Other changes beside them are repeated, too.
        rollback()
      }
    }
    throw LedgerError("10,000 conflicts in a row: what a refresh reads stays old")
  }

  package func counter(_ number: Int64) throws -> ManagedObject<Counter> {
    let request = FetchRequest<Counter>(where: { $0.number == number })
    guard let counter = try fetch(request).first else {
      throw LedgerError("counter \(number) is missing")
    }
    return counter
  }
}
