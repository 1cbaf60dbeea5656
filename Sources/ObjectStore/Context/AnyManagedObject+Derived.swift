// SPDX-License-Identifier: Apache-2.0

extension AnyManagedObject {
  /// Sets the attributes that are derived from an attribute that was just set.
  final func derive(from slot: Int, _ value: StoreValue) {
    let derived = entity.derivedAttributes
    require(
      slot >= entity.attributes.count || entity.attributes[slot].derivation == nil,
      "\(entity.name).\(entity.attributes[slot].name) is derived and was set; set what it follows "
        + "from")
    let steps = derived.steps(from: slot)
    guard !steps.isEmpty else { return }
    let value = loaded(value, slot)
    for step in steps { _ = assign(step.transform(value), step.slot) }
  }

  /// Sets the attributes that hold the time of the last save.
  final func stamp(_ date: StoreValue) {
    context?.willChange(self)
    for slot in entity.derivedAttributes.dates { _ = assign(date, slot) }
  }
}
