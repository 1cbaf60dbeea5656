// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Finds the kind of an event by the bytes of its name, without making a string of them: most lines
/// of a log are for people, and begin with another word.
struct LogEventNames {
  // Three times as many as there are kinds, so that few words meet a name.
  private var slots = [(name: ShortText, kind: StoreEvent.Kind)?](repeating: nil, count: 64)
  /// The kinds with names that are longer than a short text.
  private let longKinds = StoreEvent.Kind.allCases.filter {
    $0.rawValue.utf8.count > ShortText.longest
  }

  init() {
    for kind in StoreEvent.Kind.allCases where !longKinds.contains(kind) {
      var name = kind.rawValue
      let text = name.withUTF8 { ShortText(UnsafeRawBufferPointer($0)) }
      slots[slot(of: text)] = (text, kind)
    }
  }

  /// The kind of this name; `nil` if it is none.
  func kind(_ name: UnsafeRawBufferPointer) -> StoreEvent.Kind? {
    guard name.count > ShortText.longest else { return slots[slot(of: ShortText(name))]?.kind }
    return longKinds.first { $0.rawValue.utf8.elementsEqual(name) }
  }

  /// The slot of a name, or the free one behind where it belongs.
  @inline(__always)
  private func slot(of text: ShortText) -> Int {
    var slot = text.slot(of: slots.count)
    while let other = slots[slot], other.name != text { slot = (slot + 1) % slots.count }
    return slot
  }
}
