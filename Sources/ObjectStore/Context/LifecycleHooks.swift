// SPDX-License-Identifier: Apache-2.0

/// An entity with objects that are notified of changes in their lifecycle, as subclasses of
/// `NSManagedObject` are.
///
///     extension Note: LifecycleHooks {
///       static func awakeFromInsert(_ note: ManagedObject<Note>) { note.created = .now }
///       static func willSave(_ note: ManagedObject<Note>) {
///         if note.hasChanges, note.words != note.text.split(separator: " ").count {
///           note.words = note.text.split(separator: " ").count
///         }
///       }
///     }
///
/// They run on the context's queue, a parent entity's hook first, and run no SQL of their own.
/// Like Core Data's, batches create no objects and call no hooks.
public protocol LifecycleHooks: Entity {
  /// Called once for a new object, when it has its default values.
  static func awakeFromInsert(_ object: ManagedObject<Self>)
  /// Called when a fault has got its values from the row cache or from the database.
  static func awakeFromFetch(_ object: ManagedObject<Self>)
  /// Called for each object that a save inserts, updates or deletes, before it is checked; again if
  /// the object was changed meanwhile.
  static func willSave(_ object: ManagedObject<Self>)
  /// Called for each object that a save has inserted, updated or deleted.
  static func didSave(_ object: ManagedObject<Self>)
  /// Called before an object is marked to be deleted, also by a delete rule.
  static func prepareForDeletion(_ object: ManagedObject<Self>)
  /// Called before an object loses its values by a refresh, or because its row was deleted.
  static func willTurnIntoFault(_ object: ManagedObject<Self>)
  /// Called after that. Not called when an object ends, which may be on any thread.
  static func didTurnIntoFault(_ object: ManagedObject<Self>)
}

extension LifecycleHooks {
  /// Does nothing.
  public static func awakeFromInsert(_ object: ManagedObject<Self>) {}
  /// Does nothing.
  public static func awakeFromFetch(_ object: ManagedObject<Self>) {}
  /// Does nothing.
  public static func willSave(_ object: ManagedObject<Self>) {}
  /// Does nothing.
  public static func didSave(_ object: ManagedObject<Self>) {}
  /// Does nothing.
  public static func prepareForDeletion(_ object: ManagedObject<Self>) {}
  /// Does nothing.
  public static func willTurnIntoFault(_ object: ManagedObject<Self>) {}
  /// Does nothing.
  public static func didTurnIntoFault(_ object: ManagedObject<Self>) {}

  fileprivate static func notify(_ event: LifecycleEvent, _ object: AnyManagedObject) {
    let object = object.assumed(Self.self)
    switch event {
    case .awakeFromInsert: awakeFromInsert(object)
    case .awakeFromFetch: awakeFromFetch(object)
    case .willSave: willSave(object)
    case .didSave: didSave(object)
    case .prepareForDeletion: prepareForDeletion(object)
    case .willTurnIntoFault: willTurnIntoFault(object)
    case .didTurnIntoFault: didTurnIntoFault(object)
    }
  }
}

/// The events that an object is notified of.
enum LifecycleEvent {
  case awakeFromInsert, awakeFromFetch, willSave, didSave, prepareForDeletion, willTurnIntoFault
  case didTurnIntoFault
}

extension AnyManagedObject {
  /// Calls the hooks of the object's entity, if it has any.
  final func notify(_ event: LifecycleEvent) {
    guard mayHaveHooks else { return }
    for hooks in hooks { hooks.notify(event, self) }
  }
}
