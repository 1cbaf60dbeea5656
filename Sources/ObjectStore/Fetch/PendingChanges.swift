// SPDX-License-Identifier: Apache-2.0

/// The unsaved changes of a context, put over what a fetch found in the database.
struct PendingChanges {
  func apply(
    to saved: [AnyManagedObject], limit: Int, offset: Int
  ) throws -> [AnyManagedObject] {
    saved
  }
}
