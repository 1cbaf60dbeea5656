// SPDX-License-Identifier: Apache-2.0

/// Tells of the objects that a context's events change, at once and on its thread, for as long as
/// it is kept.
final class ContextObservation {
  /// What has happened to the objects of a context.
  enum Event {
    /// These objects were changed, changed back, or merged.
    case changed([AnyManagedObject])
    /// Any object may be another than before, as after a reset; these keys had unsaved changes.
    case refetch([Int64])
  }

  fileprivate let tell: (Event) -> Void

  fileprivate init(_ tell: @escaping (Event) -> Void) { self.tell = tell }
}

/// The observations of a context, which their owners keep, and what they were told.
struct ContextObservations {
  private var observations: [Weak] = []
  /// Unsaved objects as they were at the end of the last event.
  private var told: [ObjectIdentifier: Image] = [:]

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
    let refreshedIDs = Set(refreshed.map(ObjectIdentifier.init))
    var changed: [AnyManagedObject] = []
    var images: [ObjectIdentifier: Image] = [:]
    for object in pending() + told.values.map(\.object) + refreshed {
      let id = ObjectIdentifier(object)
      guard images[id] == nil else { continue }
      let image = Image(object)
      images[id] = image
      if told[id].map(image.isLike) != true || refreshedIDs.contains(id) { changed.append(object) }
    }
    told = images.filter { $0.value.object.hasChanges }
    refreshed = []
    return changed
  }

  mutating func forgetTold() { told = [:] }

  /// Takes the keys of unsaved objects, and forgets what was told: their context is to be reset.
  mutating func takeUnsaved(_ pending: [AnyManagedObject]) -> [Int64] {
    guard !isEmpty else { return [] }
    let keys = (pending + told.values.map(\.object) + refreshed).map(\.primaryKey)
    (told, refreshed, isAllRefreshed) = ([:], [], false)
    return keys
  }

  mutating func noteRefresh(of object: AnyManagedObject) {
    if !isEmpty { refreshed.append(object) }
  }

  mutating func noteRefreshOfAll() { isAllRefreshed = !isEmpty }

  mutating func takeRefreshOfAll() -> Bool {
    defer { isAllRefreshed = false }
    return isAllRefreshed
  }

  fileprivate func tell(_ event: ContextObservation.Event) {
    for observation in observations { observation.observation?.tell(event) }
  }
}

extension ManagedObjectContext {
  func observeChanges(
    _ tell: @escaping (ContextObservation.Event) -> Void
  ) -> ContextObservation {
    let observation = ContextObservation(tell)
    observations.add(observation)
    return observation
  }

  func tellObservations(_ event: ContextObservation.Event) {
    // A copy: who is told may change the context, and so what is observed.
    let observations = observations
    observations.tell(event)
  }

  /// Tells of what was changed since the last event.
  func tellObservations() {
    if let event = takeObservedEvent() { tellObservations(event) }
  }

  /// What was changed since the last event, and is to be told; nil for nothing.
  func takeObservedEvent() -> ContextObservation.Event? {
    let changed = observations.takeChanged { inserted + self.changed + deleted }
    if observations.takeRefreshOfAll() { return .refetch(changed.map(\.primaryKey)) }
    return changed.isEmpty ? nil : .changed(changed)
  }

  /// Objects that were saved for the first time have other ids now, and what a policy has resolved
  /// may have other values.
  ///
  /// - Parameter event: what was changed before the save; a fetch meanwhile would find the rows of
  ///   objects that count as unsaved.
  func tellObservationsOfSave(
    after event: ContextObservation.Event?, resolved: [AnyManagedObject]
  ) {
    guard !observations.isEmpty else { return }
    observations.forgetTold()
    switch event {
    case .refetch(let keys): tellObservations(.refetch(keys + resolved.map(\.primaryKey)))
    case .changed(let objects): tellObservations(.changed(objects + resolved))
    case nil: tellObservations(.changed(resolved))
    }
  }

  /// Objects have other ids now.
  func tellObservationsOfKeys() {
    if !observations.isEmpty { tellObservations(.changed([])) }
  }
}
