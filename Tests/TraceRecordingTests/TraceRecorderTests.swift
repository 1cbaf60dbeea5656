// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import StoreEvents
import TestSupport
import Testing

@testable import TraceRecording

/// Real sessions of LTTng, one after the other.
@Suite(.serialized) struct TraceRecorderTests {
  let recorder: Recorder

  init() throws { recorder = try Recorder() }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func everyEventHasThePayloadsFieldsInOrder(seed: UInt64) async throws {
    let run = try await recorder.record("samples", "\(seed)")
    #expect(run.status == 0, "\(run.errorOutput)")
    let lines = try await recorder.babeltrace2()
    var samples = EventSamples(seed: seed)
    let ofProbeAlone: Set<StoreEvent.Kind> = [
      .connectionOpened, .connectionClosed, .databaseFileTouched, .poolWaited, .copyNotObserved,
      .caller,
      .statementRun,
    ]
    for kind in StoreEvent.Kind.allCases {
      let event = samples.event(kind)
      if ofProbeAlone.contains(kind) { continue }
      let line = try #require(lines.first { $0.contains(" objectstore:\(event.name): ") })
      var fields = FieldFinder(line: line)
      fields.field("context_id", 7 as UInt64)
      event.write(to: &fields)
      #expect(fields.missing == [], "in \(line)")
    }
    try expectNothingLeft()
  }

  @Test func countsTheSameAsBabeltrace() async throws {
    let run = try await recorder.record("burst", "20000")
    #expect(run.status == 0, "\(run.errorOutput)")
    let lines = try await recorder.babeltrace2()
    #expect(lines.count { $0.contains("objectstore:fetch_end:") } == 20_000)
    #expect(run.output.replacing(",", with: "").contains("\(lines.count) events none lost"))
    // Announced at first and after every 1,000 uses, or a second.
    #expect(lines.count { $0.contains("objectstore:statement:") } >= 20)
    try expectNothingLeft()
  }

  @Test(arguments: [false, true])
  func valuesAreRecordedOnlyWhereTheFlagEnablesThem(isEnabled: Bool) async throws {
    let run = try await recorder.record(options: isEnabled ? ["--values"] : [], "burst", "100")
    #expect(run.status == 0, "\(run.errorOutput)")
    let lines = try await recorder.babeltrace2().filter { $0.contains("objectstore:values:") }
    #expect(lines.count == (isEnabled ? 1 : 0))
    #expect(lines.allSatisfy { $0.contains("values = \"13.41\"") })
  }

  @Test func losslessWaitsForTheTracer() async throws {
    let run = try await recorder.record(options: ["--lossless"], "burst", "20000")
    #expect(run.status == 0, "\(run.errorOutput)")
    let lines = try await recorder.babeltrace2()
    #expect(lines.count { $0.contains("objectstore:fetch_end:") } == 20_000)
  }

  @Test func snapshotKeepsTheNewest() async throws {
    let run = try await recorder.record(options: ["--snapshot"], "burst", "100")
    #expect(run.status == 0, "\(run.errorOutput)")
    let lines = try await recorder.babeltrace2()
    #expect(lines.contains { $0.contains("fetch_id = 100,") })
    try expectNothingLeft()
  }

  @Test func programsExitCodeIsReturned() async throws {
    let run = try await recorder.record("exit", "5")
    #expect(run.status == 5)
    #expect(run.errorOutput.contains("the program ended with code 5"))
    // The last count of a program that just exits is in the trace.
    #expect(try await recorder.babeltrace2().last?.contains("objectstore:counters") == true)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func signalKeepsTheRecording(signal: Int32) async throws {
    let recorder = recorder
    let run = try await recorder.record(
      command: [BuiltProducts.path(of: "event-emitter"), "wait"]
    ) { process in
      try await recorder.waitForEmitter()
      kill(process.processIdentifier, signal)
    }
    #expect(run.status == 128 + signal)
    #expect(run.errorOutput.contains("was ended by signal \(signal)"))
    #expect(try await recorder.babeltrace2().contains { $0.contains("objectstore:fetch_end") })
    try expectNothingLeft()
  }

  @Test func killedProgramKeepsItsRecording() async throws {
    let run = try await recorder.record(
      command: ["sh", "-c", "\(BuiltProducts.path(of: "event-emitter")) burst 10; kill -9 $$"])
    #expect(run.status == 137)
    let lines = try await recorder.babeltrace2()
    #expect(lines.count { $0.contains("objectstore:fetch_end") } == 10)
    try expectNothingLeft()
  }

  @Test func programWithoutAStoreIsInconclusive() async throws {
    let run = try await recorder.record(command: ["true"])
    #expect(run.status == 3)
    #expect(run.errorOutput.contains("no events"))
    // It was recorded, and the debug log is unrelated.
    #expect(
      run.errorOutput.contains("ran no statement of SQLite that the probe could observe"),
      "\(run.errorOutput)")
    #expect(!run.errorOutput.contains("STORE_SQL_DEBUG"))
  }

  @Test func missingProgramIsNamed() async throws {
    let run = try await recorder.record(command: ["no-such-program"])
    #expect(run.status == 1)
    #expect(
      run.errorOutput
        == "trace-report: cannot find the program 'no-such-program'; pass its path after --\n")
    #expect(!FileManager.default.fileExists(atPath: recorder.trace))
  }

  @Test func fullFolderIsLeftAlone() async throws {
    try FileManager.default.createDirectory(
      atPath: recorder.trace, withIntermediateDirectories: false)
    let file = recorder.trace + "/precious"
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    let run = try await recorder.record("burst", "1")
    #expect(run.status == 1)
    #expect(
      run.errorOutput
        == "trace-report: the folder '\(recorder.trace)' is not empty; choose another with -o, or remove it\n"
    )
    #expect(try FileManager.default.contentsOfDirectory(atPath: recorder.trace) == ["precious"])
  }

  @Test func missingLTTngReportsThePackageToInstall() async throws {
    let emitter = BuiltProducts.path(of: "event-emitter")
    let run = try await recorder.record(
      options: ["--lttng"], command: [emitter, "burst", "1"], path: "/nowhere")
    #expect(run.status == 1)
    #expect(
      run.errorOutput
        == "trace-report: 'lttng' is not installed; install LTTng, on Debian and Ubuntu: apt install lttng-tools\n"
    )
    #expect(!FileManager.default.fileExists(atPath: recorder.trace))
  }

  /// A daemon that a recording started runs only while there is a recorder.
  func expectNothingLeft() throws {
    // Another test's recording may be at it: each cleans up after killed recorders.
    for _ in 1...3_000 {
      if try !LTTngProcesses.foldersOfOne().contains(where: { kill($0.recorder, 0) != 0 }) { break }
      usleep(10_000)
    }
    #expect(try !LTTngProcesses.foldersOfOne().contains { kill($0.recorder, 0) != 0 })
    let directory = try RuntimeDirectory()
    let starting = try directory.lock("starting")
    starting.lock()
    let recording = try directory.lock("recording")
    guard recording.lockIfFree() else { return }
    #expect(directory.daemon == nil)
    #expect(try LTTngProcesses.living(in: directory.path) == [])
  }
}

/// Finds an event's fields one after the other in a line of babeltrace2.
private struct FieldFinder: EventFieldWriter {
  private var rest: Substring
  private(set) var missing: [String] = []

  /// - Parameter line: `… { context_id = 7, fetch_id = 12, entity = "Stop" }`.
  init(line: String) {
    let start = line.range(of: "{ context_id = ")
    rest = start.map { line[$0.lowerBound...].dropFirst() } ?? ""
  }

  mutating func field(_ name: StaticString, _ value: Int64) { find(" \(name) = \(value)") }
  mutating func field(_ name: StaticString, _ value: UInt64) { find(" \(name) = \(value)") }

  mutating func field(_ name: StaticString, _ value: String) {
    // babeltrace2 escapes in its own way; plain text it leaves alone.
    let isPlain = value.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && $0.value < 0x7f && $0 != "\"" && $0 != "\\"
    }
    find(isPlain ? " \(name) = \"\(value)\"" : " \(name) = \"")
  }

  private mutating func find(_ text: String) {
    if let range = rest.range(of: text) {
      rest = rest[range.upperBound...]
    } else {
      missing.append(text)
    }
  }
}
