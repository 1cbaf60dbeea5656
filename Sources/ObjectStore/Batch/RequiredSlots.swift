// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// The slots that a row of a batch must set, and the slots that are set so far.
@usableFromInline
final class RequiredSlots {
  // Unchecked: one thread fills the rows, and the checks took a seventh of a batch's time.
  @exclusivity(unchecked) private var states: [State]
  @exclusivity(unchecked) private var missingCount = 0
  /// A value that a column does not keep: it would be read as a different value, or as nil.
  @exclusivity(unchecked)
  private(set) var refused: (slot: Int, problem: StoreError.ValidationFailure.Problem)?
  private let isRequired: [Bool]
  private let requiredCount: Int
  private let entity: EntityDescription
  /// The objects that rows refer to.
  let references: BatchReferences
  /// Whether setting an attribute may set others.
  @usableFromInline let hasDerived: Bool
  /// Nil for an entity without attributes with external storage.
  let externalData: BatchExternalData?

  private enum State {
    case unset
    case null
    case value
  }

  init(_ entity: EntityDescription, _ externalData: BatchExternalData?) {
    self.entity = entity
    self.externalData = externalData
    references = BatchReferences(entity)
    hasDerived = !entity.derivedAttributes.isEmpty || !entity.entityColumns.isEmpty
    isRequired =
      entity.attributes.map {
        !$0.isOptional && $0.defaultValue == .null && $0.derivation == nil && entity.has($0)
      }
      + entity.toOnes.map { !$0.isOptional && entity.has($0) }
      + entity.entityColumns.map { _ in false }
    requiredCount = isRequired.count { $0 }
    states = isRequired.map { _ in .unset }
  }

  func begin() {
    refused = nil
    externalData?.begin()
    missingCount = requiredCount
    for slot in states.indices { states[slot] = .unset }
  }

  @usableFromInline
  func bind(_ value: StoreValue, _ statement: Statement, _ slot: Int) {
    let value = externalData?.columnValue(value, slot) ?? value
    // The first three parameters are the key, the entity and the version.
    statement.bind(value, at: Int32(truncatingIfNeeded: slot &+ 4))
  }

  @usableFromInline
  func note(_ slot: Int, _ value: StoreValue) {
    switch value {
    case .double, .date, .decimal:
      if let problem = value.lossInColumn { refused = (slot, problem) }
    case .object(let id): references.note(id, slot)
    default: break
    }
    var state = State.value
    if case .null = value { state = .null }
    if isRequired[slot], (state == .value) != (states[slot] == .value) {
      missingCount += state == .value ? -1 : 1
    }
    states[slot] = state
  }

  @usableFromInline
  func derive(from slot: Int, _ value: StoreValue, bind: (StoreValue, Int) -> Void) {
    require(
      slot >= entity.attributes.count || entity.attributes[slot].derivation == nil,
      "\(entity.name).\(entity.attributes[slot].name) is derived and was set; set what it follows "
        + "from")
    for step in entity.derivedAttributes.steps(from: slot) {
      if !isSet(step.slot) { states[step.slot] = .null }
      bind(step.transform(value), step.slot)
    }
    for toOne in entity.entityColumns where toOne.slot == slot {
      guard let entitySlot = toOne.entitySlot else { continue }
      states[entitySlot] = states[slot]
      bind(toOne.entityValue(of: value), entitySlot)
    }
  }

  /// Whether the row has set a slot, also to nil.
  func isSet(_ slot: Int) -> Bool { states[slot] != .unset }

  /// Whether the row has set a slot, and not to nil.
  func hasValue(_ slot: Int) -> Bool { states[slot] == .value }

  /// The first slot that still lacks a value.
  var firstMissing: Int? {
    missingCount == 0 ? nil : states.indices.first { isRequired[$0] && states[$0] != .value }
  }
}
