// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing

@testable import TraceAnalysis

struct SmallTableTests {
  /// A third of the keys share a slot with others.
  private struct SharedKey: TallyKey {
    var number: Int
    var mixed: UInt64 { number.isMultiple(of: 3) ? 7 : UInt64(number) }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func containsTheSameAsADictionary(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = SmallTable<SharedKey, Int>()
    var dictionary: [SharedKey: Int] = [:]
    for value in 0..<600 {
      let key = SharedKey(number: Int.random(in: 0..<300, using: &generator))
      #expect(table[key] == dictionary[key])
      table.set(value, for: key)
      dictionary[key] = value
      #expect(table[key] == value)
      if value % 150 == 149 {
        table.keep { $0.isMultiple(of: 2) }
        dictionary = dictionary.filter { $0.value.isMultiple(of: 2) }
      }
      #expect(table.count == dictionary.count)
    }
    #expect(table.values.sorted() == dictionary.values.sorted())
    for number in 0..<300 {
      let key = SharedKey(number: number)
      #expect(table[key] == dictionary[key])
    }
  }

  @Test func anEmptyOneHoldsNothing() {
    var table = SmallTable<StatementID, Int>()
    #expect(table[StatementID(rawValue: 1)] == nil)
    table.keep { _ in true }
    #expect(table.count == 0 && table.values.isEmpty)
  }
}
