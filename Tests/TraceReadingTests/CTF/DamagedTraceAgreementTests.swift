// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

/// Our reader reads the same from a damaged trace as `babeltrace2`.
///
/// `CTF_AGREEMENT_COUNT=2000` (`make ctf-agreement`) compares more traces; with
/// `CTF_AGREEMENT_SEED=7` they begin at another seed, and with `CTF_AGREEMENT_KEEP=/tmp/traces` they
/// are kept there.
struct DamagedTraceAgreementTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["CTF_AGREEMENT_COUNT"].flatMap(UInt64.init) ?? 60
  private static let first = environment["CTF_AGREEMENT_SEED"].flatMap(UInt64.init) ?? 0

  /// A list of declarators, an attribute twice that no clock has, a UUID that is none, a frequency of
  /// 0 (babeltrace2 crashes), packets of metadata of two traces, a packet longer than its file; an
  /// event's header at the end of a packet, packets without a begin, a member `event`, numbers of
  /// packets, a metadata's UUID that is not the packets', an unknown encoding, compressed metadata,
  /// a line feed in a name, an event of an empty kind, two files of one stream,
  /// a vertical tab, text without its signature, an error of babeltrace2's with a status of 0, and an
  /// unknown type of an event twice.
  private static let onceDifferent: [UInt64] = [
    987026, 987095, 987176, 988467, 988673, 988765, 5_551_462, 5_552_235, 77_770_385, 77_771_819,
    77_770_683, 77_772_363, 30_000_789, 30_002_103, 30_005_608, 30_007_894,
    42_000_196, 42_000_766, 42_003_982, 51_001_560,
    61_006_293, 73_000_802, 75_003_818,
  ]

  @Test func readsDamagedTracesAsBabeltraceDoes() throws {
    let folder = try TemporaryDirectory()
    let traces = try DamagedFiles.traces(in: folder.url)
    var outcomes: [String: Int] = [:]
    for seed in Array(Self.first..<(Self.first + Self.count)) + Self.onceDifferent {
      var trace = traces.files(seed: seed)
      // The seal of our recorder is not compared. Nor is LTTng's index of damaged files: babeltrace2
      // takes the places of packets from it, and ours from the packets' own headers.
      trace.files["recording.json"] = nil
      if trace.damagedNames.contains(where: { !$0.hasSuffix("metadata") }) {
        trace.files = trace.files.filter { !$0.key.hasSuffix(".idx") }
      }
      let place =
        Self.environment["CTF_AGREEMENT_KEEP"].map { URL(filePath: "\($0)/\(seed)") }
        ?? folder.url.appending(path: "case")
      try trace.write(to: place)
      let ours = OwnRun(place)
      let theirs = try BabeltraceRun(place, in: folder.url)
      let comparison = TraceComparison(theirs, ours, isOfOneTrace: isOfOneTrace(trace.files))
      outcomes[comparison.outcome, default: 0] += 1
      for difference in comparison.differences {
        Issue.record(
          """
          seed \(seed), damaged \(trace.damagedNames.sorted()): \(difference)
          babeltrace2: \(theirs.status) \(theirs.log.suffix(1500))
          ours: \(ours.problems)
          """)
      }
    }
    guard Self.environment["CTF_AGREEMENT_COUNT"] != nil else { return }
    for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) { print(count, outcome) }
  }
}

/// Whether all packets have one UUID, and the metadata has it, too.
private func isOfOneTrace(_ files: [String: [UInt8]]) -> Bool {
  let magic: [UInt8] = [0xc1, 0x1f, 0xfc, 0xc1]
  let heads = files.values.flatMap { bytes in
    bytes.indices.dropLast(19).filter { bytes[$0] == 0xc1 && bytes[$0..<($0 + 4)] == magic[...] }
      .map { Array(bytes[($0 + 4)..<($0 + 20)]) }
  }
  let metadata = files.first { $0.key.hasSuffix("metadata") }?.value ?? []
  let described = String(decoding: metadata, as: UTF8.self).firstMatch(
    of: /uuid = "([-0-9a-fA-F]*)"/)
  let digits = heads.first.map { UUID(bytes: $0).uuidString } ?? ""
  return Set(heads).count <= 1 && described.map { $0.1.uppercased() == digits } != false
}

extension UUID {
  fileprivate init(bytes: [UInt8]) {
    self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }
}
