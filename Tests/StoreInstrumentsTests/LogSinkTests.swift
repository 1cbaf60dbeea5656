// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreInstruments
import Testing

@Suite struct LogSinkTests {
  @Test func closedPipeLosesLinesAndRaisesNoSignal() {
    let pipe = Pipe()
    let log = DebugLog(level: .statements, descriptor: pipe.writeEnd)
    pipe.closeReadEnd()
    // A SIGPIPE would end this process.
    for _ in 1...3 { log.annotate("nobody reads this", contextID: 1) }
  }

  /// A log that was deleted has no reader; one that a caller made without a name has one.
  @Test(arguments: [true, false]) func aDeletedLogTakesNoMoreOfTheDisk(isDeleted: Bool) {
    var template = Array("/tmp/log-sink-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    defer { close(file) }
    if !isDeleted { unlink(template) }
    let log = DebugLog(level: .statements, descriptor: file)
    log.annotate("first", contextID: 1)
    if isDeleted { unlink(template) }
    for _ in 1...64 { log.annotate(String(repeating: "x", count: 60_000), contextID: 1) }
    let size = lseek(file, 0, SEEK_END)
    #expect(isDeleted ? size < 2 << 20 : size > 3 << 20, "\(size)")
  }

  @Test func fullPipeLosesLinesAndReportsHowMany() {
    let pipe = Pipe()
    let log = DebugLog(level: .statements, descriptor: pipe.writeEnd)
    let filler = String(repeating: "x", count: 3_000)
    // A pipe holds 64 KiB: the rest of these is lost.
    for _ in 1...40 { log.annotate(filler, contextID: 1) }
    let before = pipe.drain()
    log.annotate("after", contextID: 1)
    let after = pipe.drain()
    let arrived = before.split(separator: "\n").count - 1
    #expect(before.hasSuffix("\n") && arrived < 40)
    let lines = after.split(separator: "\n").map { $0.split(separator: "ObjectStore: ").last }
    #expect(
      lines == [
        "warning: \(40 - arrived) lines of this log were lost: they could not be written",
        "annotation: after",
      ])
  }

  @Test func longLineThatWentOutInPartIsFinishedFirst() {
    let pipe = Pipe()
    let log = DebugLog(level: .statements, descriptor: pipe.writeEnd)
    let long = String(repeating: "y", count: 100_000)
    log.annotate(long, contextID: 1)
    log.annotate("lost", contextID: 1)
    var text = pipe.drain()
    #expect(!text.hasSuffix("\n"))
    log.annotate("after", contextID: 1)
    text += pipe.drain()
    let lines = text.split(separator: "\n").map { $0.split(separator: "ObjectStore: ").last }
    #expect(
      lines.dropFirst() == [
        "annotation: \(long)",
        "warning: 1 lines of this log were lost: they could not be written", "annotation: after",
      ])
  }
}

/// A pipe with a slow reader, or none.
private final class Pipe {
  private let readEnd: Int32
  let writeEnd: Int32
  private var isOpen = true

  init() {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0, "no pipe to be had")
    (readEnd, writeEnd) = (ends[0], ends[1])
    precondition(fcntl(readEnd, F_SETFL, O_NONBLOCK) == 0, "no pipe to be had")
  }

  deinit {
    closeReadEnd()
    close(writeEnd)
  }

  func closeReadEnd() {
    if isOpen { close(readEnd) }
    isOpen = false
  }

  func drain() -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(readEnd, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
