// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents
import TestSupport
import Testing

@testable import StoreInstruments

@Suite struct LogBufferTests {
  @Test func everyByteIsEscapedAtEveryPlace() {
    for scalar in (0...0x17f).compactMap(Unicode.Scalar.init(_:)) {
      for place in 0...17 {
        let text = String(repeating: "a", count: place) + String(scalar) + "bcdefghij"
        #expect(written { $0.append(escaping: text) } == LogText.escaped(text))
        #expect(written { $0.append(quoting: text) } == LogText.quoted(text))
      }
    }
    #expect(written { $0.append(quoting: "") } == #""""#)
  }

  @Test func numbersHaveTheirDigits() {
    var numbers: [UInt64] = [.max, .max - 1, .max / 2, 0, 1]
    var power: UInt64 = 1
    for _ in 1...19 {
      power *= 10
      numbers += [power - 1, power, power + 1, power / 2]
    }
    for number in numbers {
      #expect(written { $0.append(number) } == "\(number)")
      #expect(written { $0.append(Int64(bitPattern: number)) } == "\(Int64(bitPattern: number))")
      let text = "\(number)"
      for digits in [2, 6, 20] {
        let zeros = String(repeating: "0", count: max(digits - text.count, 0))
        #expect(written { $0.append(number, digits: digits) } == zeros + text)
      }
    }
    #expect(written { $0.append(Int64.min) } == "\(Int64.min)")
  }

  /// The C library's own function takes a lock, which a forked process may find taken.
  @Test func datesEqualTheCLibrarys() {
    var random = SeededGenerator(seed: 20)
    let moments =
      [0, -1, 951_782_399, 951_782_400, 4_107_542_400]
      + (0..<5_000).map { _ in
        time_t.random(in: -100_000_000_000...100_000_000_000, using: &random)
      }
    for moment in moments {
      var (seconds, date) = (moment, tm())
      gmtime_r(&seconds, &date)
      let parts = [date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec]
        .map { $0 < 10 ? "0\($0)" : "\($0)" }
      #expect(
        written { $0.append(date: moment) }
          == "\(date.tm_year + 1900)-\(parts[0])-\(parts[1]) \(parts[2]):\(parts[3]):\(parts[4])")
    }
  }

  @Test func textLongerThanItsMemoryIsWhole() {
    let text = String(repeating: "0123456789", count: 5_000)
    let buffer = LogBuffer()
    for _ in 1...3 { buffer.append(escaping: text) }
    #expect(String(decoding: buffer.bytes, as: UTF8.self) == text + text + text)
    buffer.removeAll()
    buffer.append("short")
    #expect(String(decoding: buffer.bytes, as: UTF8.self) == "short")
  }

  private func written(_ body: (LogBuffer) -> Void) -> String {
    let buffer = LogBuffer()
    body(buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}
