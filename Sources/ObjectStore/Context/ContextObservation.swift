// SPDX-License-Identifier: Apache-2.0

/// Tells of the objects that a context's events change, at once and on its thread, for as long as
/// it is kept.
final class ContextObservation {
  fileprivate let tell: ([AnyManagedObject]) -> Void

  fileprivate init(_ tell: @escaping ([AnyManagedObject]) -> Void) { self.tell = tell }
}

/// The observations of a context, which their owners keep, and what they were told.
struct ContextObservations {
  private var observations: [Weak] = []
  /// Unsaved objects as they were at the end of the last event.
  private var told: [ObjectIdentifier: Image] = [:]

  private struct Weak {
    weak var observation: ContextObservation?
  }

  private struct Image {
    let object: AnyManagedObject
    let state: AnyManagedObject.State
    let changes: [StoreValue?]

    init(_ object: AnyManagedObject) {
      self.object = object
      state = object.state.intersection([.inserted, .deleted, .inaccessible])
      changes = object.hasChanges ? object.changes : []
    }

    func isLike(_ other: Image) -> Bool { state == other.state && changes == other.changes }
  }

  var isEmpty: Bool { observations.allSatisfy { $0.observation == nil } }

  fileprivate mutating func add(_ observation: ContextObservation) {
    observations.removeAll { $0.observation == nil }
    observations.append(Weak(observation: observation))
  }

  /// The objects that were changed since the last event, or changed back.
  mutating func takeChanged(_ pending: () -> [AnyManagedObject]) -> [AnyManagedObject] {
    guard !isEmpty else {
      told = [:]
      return []
    }
    var changed: [AnyManagedObject] = []
    var images: [ObjectIdentifier: Image] = [:]
    for object in pending() + told.values.map(\.object) {
      let id = ObjectIdentifier(object)
      guard images[id] == nil else { continue }
      let image = Image(object)
      images[id] = image
      if told[id].map(image.isLike) != true { changed.append(object) }
    }
    told = images.filter { $0.value.object.hasChanges }
    return changed
  }

  mutating func forgetTold() { told = [:] }

  func tell(_ changed: [AnyManagedObject]) {
    for observation in observations { observation.observation?.tell(changed) }
  }
}

extension ManagedObjectContext {
  func observeChanges(
    _ tell: @escaping ([AnyManagedObject]) -> Void
  ) -> ContextObservation {
    let observation = ContextObservation(tell)
    observations.add(observation)
    return observation
  }

  /// Tells of what was changed since the last event.
  func tellObservations() {
    let changed = observations.takeChanged { inserted + self.changed + deleted }
    if !changed.isEmpty { observations.tell(changed) }
  }

  /// Objects that were saved for the first time have other ids now.
  func tellObservationsOfSave() {
    observations.forgetTold()
    observations.tell([])
  }
}
