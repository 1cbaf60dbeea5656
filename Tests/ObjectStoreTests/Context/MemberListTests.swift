// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObjectStore

/// A list with a table of its objects agrees with one without.
@Suite struct MemberListTests {
  @Test(arguments: [3, 32, 33, 200])
  func agreesWithAnArray(size: Int) throws {
    let fixture = try StoreFixture()
    let stops = (0..<size).map { fixture.makeStop("\($0)") as AnyManagedObject }
    var (list, plain) = (MemberList(), [AnyManagedObject]())
    var random = SeededGenerator(UInt64(size))
    for _ in 0..<(size * 20) {
      let stop = try #require(stops.randomElement(using: &random))
      let place = plain.firstIndex { $0 === stop }
      let isMember = list.contains(stop)
      #expect(isMember == (place != nil))
      if let place {
        let isRemoved = list.remove(stop)
        #expect(isRemoved)
        plain.remove(at: place)
      } else {
        let isRemoved = list.remove(stop)
        #expect(!isRemoved)
        let index = random.pick([nil, Int.random(in: 0...plain.count, using: &random)])
        list.insert(stop, at: index)
        plain.insert(stop, at: index ?? plain.count)
      }
      // A copy has a table of its own.
      var copy = list
      copy.remove(stop)
      let isStillMember = list.contains(stop)
      #expect(isStillMember == (place == nil))
      let isSame = list.objects.elementsEqual(plain, by: ===)
      #expect(isSame)
    }
  }
}
