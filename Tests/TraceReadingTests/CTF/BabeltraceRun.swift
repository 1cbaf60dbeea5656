// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The output of the `babeltrace2` command for a trace, and its exit status.
struct BabeltraceRun {
  /// 0, or the error that ended it, which may be a signal or the time that it may take.
  let status: Int32
  /// The events, as far as they were printed in full.
  let events: [PrettyEvent]
  /// Lines of the output that could not be read as events.
  let unreadLines: [Substring]
  let log: String

  /// - Parameter folder: where its messages are kept until they are read.
  init(_ trace: URL, in folder: URL) throws {
    let errors = folder.appending(path: "errors")
    // 1 s of processor time and 4 GiB are many times the need of a whole trace: on damaged metadata
    // babeltrace2 2.0.4 may loop endlessly.
    let command =
      "ulimit -c 0; ulimit -t 1; ulimit -v 4194304; LC_ALL=C TZ=UTC BABELTRACE_TERM_COLOR=NEVER "
      + "exec timeout -k 1 60 babeltrace2 '\(trace.path)' --component sink.text.pretty --params "
      + "'no-delta=true,clock-seconds=true,name-default=\"show\",field-default=\"hide\","
      + "field-trace:vpid=true' 2> '\(errors.path)'"
    // Not Foundation's Process: waiting for the end of each takes it a quarter of a second.
    guard let output = popen(command, "re") else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&block, 1, block.count, output), count > 0 {
      bytes += block[..<count]
    }
    status = pclose(output)
    log = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
    let text = String(decoding: bytes, as: UTF8.self)
    // A line that a crash cut has no line feed; an event's name of damaged metadata may have one.
    let starts = text.matches(of: #/^timestamp = /#.anchorsMatchLineEndings()).map(
      \.range.lowerBound)
    let ends = starts + [text.endIndex]
    let lines = zip([text.startIndex] + starts, ends).map { text[$0..<$1] }
      .filter { $0.hasSuffix("\n") }.map { $0.dropLast() }
    events = lines.compactMap(PrettyEvent.init)
    unreadLines = lines.filter { PrettyEvent($0) == nil }
  }
  /// Its reader may end a stream with an error of its own and end the whole with 0.
  var reportsDamage: Bool { status != 0 || log.contains(" E PLUGIN/CTF/MSG-ITER ") }
}
