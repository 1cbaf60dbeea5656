// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Makes the objects of the rows of one statement, or finds existing ones in the context.
struct RowObjects {
  private let context: ManagedObjectContext
  private let entity: EntityDescription
  private let register: ObjectRegister
  private let objectClass: AnyManagedObject.Type
  private let hasOneEntity: Bool
  private let origin: FetchOrigin?
  /// Whether objects that are faults get the rows.
  private let isFilled: Bool
  let notifies: Bool
  private var awakened: [AnyManagedObject] = []

  init(
    _ context: ManagedObjectContext, _ entity: EntityDescription, _ origin: FetchOrigin?,
    isFilled: Bool
  ) {
    context.queue.recordUse()
    self.context = context
    self.entity = entity
    self.origin = origin
    self.isFilled = isFilled
    register = context.register(ofTable: entity.index)
    objectClass = context.traits.objectClass(of: entity)
    hasOneEntity = entity.hierarchy == nil
    notifies = Self.notifies(context, entity, isFilled: isFilled)
  }

  /// Whether hooks of objects that get their rows are called.
  static func notifies(
    _ context: ManagedObjectContext, _ entity: EntityDescription, isFilled: Bool
  ) -> Bool { isFilled && context.register(ofTable: entity.index).hasHooks }

  @inline(__always)
  mutating func object(of row: RowPointer) -> AnyManagedObject {
    if register.isBehindAll(row.primaryKey) {
      let object = newObject(row)
      complete(object, row)
      register.append(object)
      return object
    }
    let (object, isNew) = register.object(row.primaryKey) { newObject(row) }
    if isNew {
      complete(object, row)
    } else {
      if notifies, object.isFault { awakened.append(object) }
      if isFilled { object.fill(row) }
    }
    return object
  }

  @inline(__always)
  private func newObject(_ row: RowPointer) -> AnyManagedObject {
    hasOneEntity
      ? objectClass.init(
        entity: .passUnretained(entity), primaryKey: row.primaryKey,
        register: .passUnretained(register))
      : context.makeObject(RowSnapshot(row).entity(in: entity), row.primaryKey)
  }

  @inline(__always)
  private mutating func complete(_ object: AnyManagedObject, _ row: RowPointer) {
    if let origin { object.origin = origin }
    if isFilled { object.fill(row) }
    if notifies { awakened.append(object) }
  }

  /// Calls the hooks of the objects that were filled.
  mutating func notify() {
    for object in awakened { object.notify(.awakeFromFetch) }
    awakened = []
  }
}

/// The objects of the pages of one fetch.
///
/// Unchecked: the pages may come on another thread, but one after the other, and while the
/// context's own waits for them.
final class FetchedObjects: @unchecked Sendable {
  // Unchecked: the checks would be made for every row.
  @exclusivity(unchecked) private var maker: RowObjects
  @exclusivity(unchecked) private(set) var all: [AnyManagedObject] = []
  /// Whether another thread may make them: there are neither hooks nor a parent context, and the
  /// context's queue is not checked.
  let mayBeMadeElsewhere: Bool

  init(
    _ context: ManagedObjectContext, _ entity: EntityDescription, _ origin: FetchOrigin?,
    isFilled: Bool
  ) {
    maker = RowObjects(context, entity, origin, isFilled: isFilled)
    // To read it from the maker would copy that.
    mayBeMadeElsewhere =
      context.parent == nil && !context.checksQueue
      && !RowObjects.notifies(context, entity, isFilled: isFilled)
  }

  func append(_ page: RowPage) {
    page.forEach { all.append(maker.object(of: $0)) }
    maker.notify()
  }
}

/// The fetch that made an object, shared by all objects that it made.
final class FetchOrigin {
  let fetchID: UInt64
  let location: SourceLocation

  init(fetchID: UInt64, location: SourceLocation) {
    self.fetchID = fetchID
    self.location = location
  }
}
