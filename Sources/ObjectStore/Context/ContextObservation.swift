// SPDX-License-Identifier: Apache-2.0

/// Reports the objects that a context's events change, immediately and on its thread, while it is
/// retained.
final class ContextObservation {
  /// The changes of the objects of a context.
  enum Event {
    /// These objects were changed, changed back, or merged.
    case changed([AnyManagedObject])
    /// Any object may differ from before, as after a reset; these keys had unsaved changes.
    case refetch([Int64])
  }

  fileprivate let handler: (Event) -> Void

  fileprivate init(_ handler: @escaping (Event) -> Void) { self.handler = handler }
}

/// The observations of a context, which their owners keep, and the changes that were reported to
/// them.
struct ContextObservations {
  private var observations: [Weak] = []
  /// Unsaved objects as they were at the end of the last event.
  private var reported: [ObjectIdentifier: Image] = [:]

  /// Objects that were refreshed since the last event.
  private var refreshed: [AnyManagedObject] = []
  private var isAllRefreshed = false

  private struct Weak {
    weak var observation: ContextObservation?
  }

  private struct Image {
    let object: AnyManagedObject
    let state: AnyManagedObject.State
    let changes: [StoreValue?]
    /// Of its to-manys.
    let memberChanges: Int

    init(_ object: AnyManagedObject) {
      self.object = object
      state = object.state.intersection([.inserted, .deleted, .inaccessible])
      changes = object.hasChanges ? object.changes : []
      let links = object.hasChanges ? object.links?.toManys ?? [] : []
      memberChanges = links.reduce(0) { $0 &+ ($1?.changeCount ?? 0) }
    }

    func isLike(_ other: Image) -> Bool {
      state == other.state && memberChanges == other.memberChanges && changes == other.changes
    }
  }

  var isEmpty: Bool { observations.allSatisfy { $0.observation == nil } }

  fileprivate mutating func add(_ observation: ContextObservation) {
    observations.removeAll { $0.observation == nil }
    observations.append(Weak(observation: observation))
  }

  /// The objects that were changed since the last event, or changed back.
  mutating func drainChanged(_ pending: () -> [AnyManagedObject]) -> [AnyManagedObject] {
    guard !isEmpty else {
      reported = [:]
      return []
    }
    let refreshedIDs = Set(refreshed.map(ObjectIdentifier.init))
    var changed: [AnyManagedObject] = []
    var images: [ObjectIdentifier: Image] = [:]
    for object in pending() + reported.values.map(\.object) + refreshed {
      let id = ObjectIdentifier(object)
      guard images[id] == nil else { continue }
      let image = Image(object)
      images[id] = image
      if reported[id].map(image.isLike) != true || refreshedIDs.contains(id) {
        changed.append(object)
      }
    }
    reported = images.filter { $0.value.object.hasChanges }
    refreshed = []
    return changed
  }

  mutating func discardReported() { reported = [:] }

  /// Records the keys of unsaved objects, and discards pending reports: their context is about to
  /// be reset.
  mutating func drainUnsaved(_ pending: [AnyManagedObject]) -> [Int64] {
    guard !isEmpty else { return [] }
    let keys = (pending + reported.values.map(\.object) + refreshed).map(\.primaryKey)
    (reported, refreshed, isAllRefreshed) = ([:], [], false)
    return keys
  }

  mutating func recordRefresh(of object: AnyManagedObject) {
    if !isEmpty { refreshed.append(object) }
  }

  mutating func recordRefreshOfAll() { isAllRefreshed = !isEmpty }

  mutating func consumeRefreshOfAll() -> Bool {
    defer { isAllRefreshed = false }
    return isAllRefreshed
  }

  fileprivate func notify(_ event: ContextObservation.Event) {
    for observation in observations { observation.observation?.handler(event) }
  }
}

extension ManagedObjectContext {
  func observeChanges(
    _ handler: @escaping (ContextObservation.Event) -> Void
  ) -> ContextObservation {
    let observation = ContextObservation(handler)
    observations.add(observation)
    return observation
  }

  func notifyObservations(_ event: ContextObservation.Event) {
    // A copy: an observer may change the context, and so the observations.
    let observations = observations
    observations.notify(event)
  }

  /// Reports the changes since the last event.
  func notifyObservations() {
    if let event = consumeObservedEvent() { notifyObservations(event) }
  }

  /// The changes since the last event that are to be reported; nil if there are none.
  func consumeObservedEvent() -> ContextObservation.Event? {
    let changed = observations.drainChanged { inserted + self.changed + deleted }
    if observations.consumeRefreshOfAll() { return .refetch(changed.map(\.primaryKey)) }
    return changed.isEmpty ? nil : .changed(changed)
  }

  /// Objects that were saved for the first time have other ids now, and a merge policy may have
  /// replaced values.
  ///
  /// - Parameter event: the changes before the save; a fetch meanwhile would find the rows of
  ///   objects that count as unsaved.
  func notifyObservationsOfSave(
    after event: ContextObservation.Event?, resolved: [AnyManagedObject]
  ) {
    guard !observations.isEmpty else { return }
    observations.discardReported()
    switch event {
    case .refetch(let keys): notifyObservations(.refetch(keys + resolved.map(\.primaryKey)))
    case .changed(let objects): notifyObservations(.changed(objects + resolved))
    case nil: notifyObservations(.changed(resolved))
    }
  }

  /// Objects have other ids now.
  func notifyObservationsOfKeys() {
    if !observations.isEmpty { notifyObservations(.changed([])) }
  }
}
