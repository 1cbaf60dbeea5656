// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import TraceReading

/// A packet, or the metadata, may hold any length of an array.
@Suite(.endsWhenStuck) struct ArrayLengthTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Writes a trace of one event, of another provider, with three numbers in an array.
  private func write(_ member: String, length: [UInt8] = []) throws {
    let metadata = """
      /* CTF 1.8 */
      typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
      typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
      typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
      trace {
        major = 1; minor = 8; uuid = "0c6b5b1e-6d1c-4f0e-9c7a-000000000001"; byte_order = le;
        packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };
      };
      clock { name = "monotonic"; freq = 1000000000; offset = 0; };
      typealias integer {
        size = 64; align = 8; signed = false; map = clock.monotonic.value;
      } := uint64_clock_t;
      stream {
        id = 0;
        event.header := struct { uint32_t id; uint64_clock_t timestamp; };
        packet.context := struct {
          uint64_clock_t timestamp_begin; uint64_clock_t timestamp_end;
          uint64_t content_size; uint64_t packet_size;
        };
      };
      event { name = "other:array"; id = 0; stream_id = 0; fields := struct { \(member) }; };
      """
    let event = word32(0) + word64(5) + length + word32(1) + word32(2) + word32(3)
    let uuid = word64(0x0e4f_1c6d_1e5b_6b0c) + [0x9c, 0x7a, 0, 0, 0, 0, 0, 1]
    let bits = UInt64(24 + 32 + event.count) * 8
    let packet =
      word32(0xc1fc_1fc1) + uuid + word32(0) + word64(1) + word64(9) + word64(bits) + word64(bits)
      + event
    try Data(metadata.utf8).write(to: directory.url.appending(path: "metadata"))
    try Data(packet).write(to: directory.url.appending(path: "channel_0"))
  }

  private func word32(_ value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private func word64(_ value: UInt64) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private func expectDamage() throws {
    let error = #expect(throws: TraceReadingError.self) { try Reading(directory.url.path) }
    #expect("\(try #require(error))".contains("is damaged"))
  }

  @Test func arraysOfOtherProvidersAreSteppedOver() throws {
    try write("uint64_t _n; uint32_t _x[_n];", length: word64(3))
    #expect(try Reading(directory.url.path).source.unrecognizedLines == 1)
    try write("uint32_t _x[3];")
    #expect(try Reading(directory.url.path).source.unrecognizedLines == 1)
  }

  @Test(arguments: [100_000_000, 1 << 32, 1 << 40, 1 << 63, .max] as [UInt64])
  func aFalseLengthInAPacketIsDamage(length: UInt64) throws {
    try write("uint64_t _n; uint32_t _x[_n];", length: word64(length))
    try expectDamage()
  }

  @Test(arguments: [
    "uint32_t _x[100000000];", "uint32_t _x[0x7fffffff];", "uint8_t _x[30000][30000];",
    "struct { uint8_t a[1000000]; uint8_t b[1000000]; } _x[1000];",
  ])
  func aFalseLengthInTheMetadataIsDamage(member: String) throws {
    try write(member)
    try expectDamage()
  }
}
