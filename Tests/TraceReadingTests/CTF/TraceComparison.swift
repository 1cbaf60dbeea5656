// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TraceReading

/// Our reader's result for a trace.
struct OwnRun {
  private(set) var events: [ReadEvent] = []
  private(set) var problems: [String] = []
  private(set) var unrecognized: UInt64 = 0
  /// Whether the metadata lacks its first line.
  private(set) var isUnsigned = false

  init(_ trace: URL) {
    do {
      let report = try TraceReader.read([trace.path]) { events.append(ReadEvent($0)) }
      problems = report.sources.flatMap(\.problems)
      unrecognized = report.sources[0].unrecognizedLines
      isUnsigned = report.sources[0].remarks.contains { $0.contains("lacks its line") }
    } catch TraceReadingError.empty {
      // No event and no damage.
    } catch {
      problems = ["\(error)"]
    }
  }
}

extension OwnRun {
  func has(_ text: String) -> Bool { problems.contains { $0.contains(text) } }
}

/// The differences between two readings of one trace.
struct TraceComparison {
  private(set) var differences: [String] = []
  private(set) var outcome = ""

  init(_ theirs: BabeltraceRun, _ ours: OwnRun, isOfOneTrace: Bool) {
    // A metadata file with a damaged packet: babeltrace2 reads the events that the packets before it
    // describe, and ours refuses the trace, since others may be missing.
    if ours.has("/metadata\" is cut or damaged in the packet at byte"), !theirs.events.isEmpty {
      outcome = "refused by ours for a damaged packet of metadata, read by babeltrace2"
      if !ours.events.isEmpty { differences.append("ours refuses it and reads events") }
      return
    }
    // Metadata without its first line: babeltrace2 refuses it, and ours reads it with a remark.
    if ours.isUnsigned, theirs.status != 0, theirs.events.isEmpty {
      outcome = "read by ours without its first line, refused by babeltrace2"
      return
    }
    // Metadata that describes a layout which LTTng-UST does not write.
    if ours.has("has a layout that is not read") {
      outcome = "refused by ours for its layout"
      if !ours.events.isEmpty { differences.append("ours refuses it and reads events") }
      return
    }
    let known = Self.withoutOldTexts(
      theirs.events, ours.events, ourUnrecognized: ours.unrecognized)
    let unknown = UInt64(theirs.events.count - known.count)
    if !theirs.unreadLines.isEmpty {
      differences.append("babeltrace2 printed \(theirs.unreadLines)")
    }
    // A packet with the UUID of another trace: babeltrace2 2.0.4 does not compare it, and ours reports
    // its file as damaged and reads the packets before it.
    if !isOfOneTrace, ours.has(" could be read"), !theirs.events.isEmpty {
      outcome = "a packet of another trace, read by babeltrace2"
      let printed = Set(
        theirs.events.compactMap { line in line.timestamp.map { "\($0) \(line.name)" } })
      let read = ours.events.map { "\($0.timestamp) objectstore:\($0.event.kind.rawValue)" }
      if theirs.status == 0, !printed.isSuperset(of: read) {
        differences.append("ours reads events that babeltrace2 does not")
      }
      return
    }
    if !theirs.reportsDamage {
      outcome = ours.problems.isEmpty ? "whole in both" : "damaged in ours"
      // babeltrace2 only warns of packets that are not there, and its status remains 0.
      let warned = theirs.log.contains("WARNING: Tracer discarded")
      let reported = ours.problems.filter { !(warned && $0.contains("lost whole packets")) }
      if !reported.isEmpty { differences.append("only ours reports damage") }
      compareAll(known, ours.events)
      if unknown != ours.unrecognized {
        differences.append("\(unknown) unrecognized by babeltrace2's, \(ours.unrecognized) by ours")
      }
    } else {
      // A signal, such as the one for a division by a frequency of 0.
      let hasCrashed = theirs.status & 0x7f != 0
      outcome =
        !ours.problems.isEmpty
        ? "damaged in both" : hasCrashed ? "crashed in babeltrace2's" : "damaged in babeltrace2's"
      if ours.problems.isEmpty, !hasCrashed {
        differences.append("only babeltrace2 reports damage")
      }
      // The event that extends beyond its packet's content is none; babeltrace2 prints it where the
      // packet's padding has room for it, and fails at the next one.
      let cut =
        (ours.has("an event extends beyond the packet")
          || ours.has("an event's header extends beyond the packet")) && !known.isEmpty
        && known.dropLast().elementsEqual(ours.events.prefix(known.count - 1))
      if cut, known.last != ours.events.dropFirst(known.count - 1).first {
        outcome += ", which prints one event beyond the packet's content"
        return
      }
      // A packet that begins later than its events: babeltrace2 merges streams by the beginnings of
      // packets, too, and ours by events, so that only the order between the streams differs.
      if ours.has("the clock goes back"), !known.starts(with: ours.events.prefix(known.count)) {
        outcome += ", in another order for a clock that goes back"
        let counts = Dictionary(ours.events.map { ($0, 1) }, uniquingKeysWith: +)
        let missing = Dictionary(known.map { ($0, 1) }, uniquingKeysWith: +)
          .filter { $1 > counts[$0] ?? 0 }
        if !missing.isEmpty { differences.append("ours misses \(missing.keys)") }
        return
      }
      // A packet that is longer than its file: babeltrace2 prints events of it before it fails, and
      // ours reads none.
      if ours.has(" could be read"), !known.starts(with: ours.events.prefix(known.count)) {
        outcome += ", which reads a packet that is longer than its file"
        let read = Set(ours.events)
        let common = known.filter(read.contains)
        if !ours.events.starts(with: common) { differences.append("ours misses one of \(common)") }
        return
      }
      compareAll(known, Array(ours.events.prefix(known.count)))
    }
  }

  /// The events of the vocabulary, with empty texts where babeltrace2 2.0.4 does not empty them.
  ///
  /// It uses the object of an earlier event again and appends the bytes of the new text to the old
  /// one, which it clears with the first byte: where there is none, the old text stays.
  private static func withoutOldTexts(
    _ theirs: [PrettyEvent], _ ours: [ReadEvent], ourUnrecognized: UInt64
  ) -> [ReadEvent] {
    var old: [String: Set<String>] = [:]
    var result: [ReadEvent] = []
    let byTime = Dictionary(ours.map { ($0.timestamp, $0) }) { first, _ in first }
    for var line in theirs {
      let printed = line.texts
      guard var event = line.event else { continue }
      // Where one of both misses events, the same place has another event.
      let place = ours.indices.contains(result.count) ? ours[result.count] : nil
      let twin = place?.timestamp == event.timestamp ? place : byTime[event.timestamp] ?? place
      if twin == nil ? ourUnrecognized > 0 : event != twin {
        for (name, text) in twin?.texts ?? [:] where text.isEmpty {
          if let stale = printed[name], old["\(line.name) \(name)"]?.contains(stale) == true {
            line.texts = [name: ""]
          }
        }
        event = line.event ?? event
        if event != twin {
          line.texts = printed.filter { old["\(line.name) \($0)"]?.contains($1) == true }
            .mapValues { _ in "" }
        }
      }
      defer {
        for (name, text) in printed { old["\(line.name) \(name)", default: []].insert(text) }
      }
      // Without the old text it may be no event of the vocabulary.
      guard line.event != nil else { continue }
      result.append(event)
    }
    return result
  }

  private mutating func compareAll(_ theirs: [ReadEvent], _ ours: [ReadEvent]) {
    if theirs == ours { return }
    let index = zip(theirs, ours).enumerated().first { $1.0 != $1.1 }?.offset
    guard let index else {
      differences.append("babeltrace2 has \(theirs.count) events, ours \(ours.count)")
      return
    }
    differences.append(
      "event \(index) of \(theirs.count), \(ours.count):\n  \(theirs[index])\n  \(ours[index])")
  }
}
