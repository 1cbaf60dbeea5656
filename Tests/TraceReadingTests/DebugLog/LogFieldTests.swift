// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceReading

/// Fields as the store writes them are read by words of eight bytes; other spellings byte by byte.
struct LogFieldTests {
  private let head = "2026-11-21 14:12:28.633104 transit[2367:2370] ObjectStore:"

  /// The events of a fault with this number of rows.
  private func rows(_ text: String) throws -> (UInt64?, unrecognized: UInt64) {
    let reading = try Reading(
      log: """
        \(head) annotation: busy store_id=4
        \(head) annotation: fault context_id=1 entity="Stop" pk=12 source="row cache" rows=\(text)

        """)
    guard case .fault(let fault)? = reading.events.last else {
      return (nil, reading.source.unrecognizedLines)
    }
    return (fault.rows, reading.source.unrecognizedLines)
  }

  @Test(arguments: [
    "0", "7", "1234567", "12345678", "123456789", "1234567812345678", "12345678123456789",
    "9999999999999999999", "10000000000000000000", "18446744073709551615",
  ])
  func aNumberOfAnyLengthIsRead(text: String) throws {
    let (value, unrecognized) = try rows(text)
    #expect(value == UInt64(text))
    #expect(unrecognized == 0)
  }

  @Test func leadingZerosAreNoPartOfANumber() throws {
    #expect(try rows("0000000000000000000000000012").0 == 12)
  }

  @Test(arguments: [
    "18446744073709551616", "99999999999999999999", "123456789123456789123", "1234567x",
    "12345678x", "x", "", "-1", "+1", "1 ", "1234:678", "1234/678", "\u{ff11}2345678",
  ])
  func whatIsNoNumberIsCounted(text: String) throws {
    let (value, unrecognized) = try rows(text)
    // A space at the end of a line is no field, but no part of a number either.
    #expect(value == (text == "1 " ? 1 : nil))
    #expect(unrecognized == (text == "1 " ? 0 : 1))
  }

  @Test(arguments: [Int64.min, -1, 0, 12_345_678, .max])
  func aSignedNumberKeepsItsSign(value: Int64) throws {
    let reading = try Reading(
      log:
        "\(head) annotation: fault context_id=1 entity=\"Stop\" pk=\(value) source=\"database\"\n")
    guard case .fault(let fault)? = reading.events.first else {
      Issue.record("\(reading.source)")
      return
    }
    #expect(fault.pk == value)
  }

  /// A quote and a backslash at each place of a word of eight bytes.
  @Test(arguments: 0..<20)
  func aTextEndsAtItsQuote(length: Int) throws {
    let plain =
      String(repeating: "é", count: length / 2) + String(repeating: "x", count: length % 2)
    for text in [plain, plain + "\"", plain + "\\", "\\" + plain, plain + "!#[]\u{22}" + plain] {
      let reading = try Reading(
        log: """
          \(head) annotation: fault context_id=1 entity=\(LogText.quoted(text)) pk=3 \
          source="database" rows=5

          """)
      guard case .fault(let fault)? = reading.events.first else {
        Issue.record("\(text): \(reading.source)")
        continue
      }
      #expect(fault.entity == text)
      #expect(fault.pk == 3 && fault.rows == 5)
    }
  }

  @Test func aTextWithoutItsEndIsCounted() throws {
    let reading = try Reading(
      log: """
        \(head) annotation: busy store_id=4
        \(head) annotation: fault context_id=1 entity="Stop pk=3
        \(head) annotation: fault context_id=1 entity="Stop\\

        """)
    #expect(reading.events.count == 1)
    #expect(reading.source.unrecognizedLines == 2)
  }
}
