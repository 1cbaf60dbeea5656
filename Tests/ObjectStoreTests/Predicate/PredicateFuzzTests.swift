// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ObjectStore

/// Random formats are read or refused, never trapped on; `FUZZ_COUNT` sets how many.
@Suite struct PredicateFuzzTests {
  private let count =
    ProcessInfo.processInfo.environment["FUZZ_COUNT"].flatMap { Int($0) } ?? 20_000

  private static let seeds = [
    "%@ <= longitude AND longitude <= %@", "name BEGINSWITH[cd] 'U G\\u00f6' OR NOT #size == 0x1f",
    "SUBQUERY(stopTimes, $x, $x.departureTime BETWEEN {1, 2.5e3}).@count != 0",
    "ANY tags.title IN {'a', \"b\", nil} && (x + 2) ** -3 > y.@max.z",
    "ALL stopTimes.@max.departureTime / 2 >= sum:({1, identifier, $v}) - 5",
    "name MATCHES[c] 'a.*' AND uppercase:(name) ==[d] 'É' AND CAST(identifier, 'NSString') IN %@",
    "modulus:by:(identifier, 2) BETWEEN {1 << 2, now()} OR tags[SIZE] > {1, 2}[LAST] OR noindex:(x)=1",
    "add:to:(1, CAST('x', 'NSDate')) == %K AND SELF != %d", "a[FIRST] LIKE '*?' || TRUEPREDICATE",
  ]
  private static let scraps =
    PredicateWord.allCases.map(\.rawValue)
    + [
      "(", ")", "{", "}", "[", "]", ".", ",", "@", "%@", "%K", "%d", "$", "#", "'", "\"", "\\", "=",
      "<", "!", "-", "*", "1", "0x", "1e", "é", "\u{0}", "\n", "UTI-", ":", "\u{10FFFF}",
    ]

  @Test func readsOrRefusesMutatedFormats() throws {
    var random = SeededGenerator(1)
    var readCount = 0
    for _ in 0..<count {
      var bytes = Array(random.pick(Self.seeds).utf8)
      for _ in 0..<Int.random(in: 0...4, using: &random) { mutate(&bytes, &random) }
      if try reads(String(decoding: bytes, as: UTF8.self)) { readCount += 1 }
    }
    #expect(readCount > count / 20, "mutations that are never read test the errors only")
    #expect(readCount < count)
  }

  @Test func readsOrRefusesRandomBytes() throws {
    var random = SeededGenerator(2)
    for _ in 0..<(count / 4) {
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      _ = try reads(String(decoding: bytes, as: UTF8.self))
    }
  }

  private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: bytes.insert(contentsOf: Array(random.pick(Self.scraps).utf8), at: place)
    case 1: bytes.removeSubrange(place..<min(bytes.count, place + 3))
    case 2 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
    default: bytes.insert(contentsOf: bytes.suffix(from: place).prefix(20), at: place)
    }
  }

  /// A format that was read must print, read back as itself, and compile or be refused.
  private func reads(_ format: String) throws -> Bool {
    let predicate: FetchPredicate
    do {
      predicate = try FetchPredicate(
        format: format, arguments: ["a", 2, 3].prefix(placeholders(format)).map { $0 })
    } catch {
      #expect(error.line >= 1 && error.column >= 1 && !error.description.isEmpty)
      return false
    }
    let printed = predicate.predicateFormat
    let reread = try FetchPredicate(format: printed)
    #expect(reread == predicate, "\(format) printed as \(printed)")
    do { _ = try SelectStatement.objectIDs(of: Self.model.stop, where: predicate) } catch {
      #expect(!error.description.isEmpty)
    }
    return true
  }

  private static let model = PredicateModel()

  private func placeholders(_ format: String) -> Int {
    format.utf8.reduce(into: 0) { if $1 == UInt8(ascii: "%") { $0 += 1 } }
  }
}
