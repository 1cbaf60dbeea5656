// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceReading
import TraceRendering

@testable import TraceRecording

/// Recordings that go to a relay daemon, from hosts in namespaces of their own; see `hosts.sh`.
@Suite(.serialized) struct RelayedRecordingTests {
  let recorder: Recorder

  init() throws { recorder = try Recorder() }

  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "FleetTests/hosts.sh").path

  private static let namespaces = ConditionTrait.enabled(
    """
    needs root, namespaces with networks, lttng-relayd and the probe: run as root in a container \
    with CAP_SYS_ADMIN and CAP_NET_ADMIN, after make probe
    """
  ) {
    let trial = Process()
    trial.executableURL = URL(filePath: "/bin/sh")
    trial.arguments = [
      "-c",
      """
      [ "$(id -u)" = 0 ] && command -v lttng-relayd && unshare --net --uts --mount --pid --fork \
      --mount-proc sh -c 'hostname x && ip link add br0 type bridge && ip link add ve0 type veth peer name ve1' \
      && cd -P "$(dirname '\(BuiltProducts.path(of: "trace-report"))')" \
      && ls ../probe/libstorescope-probe.so ../../probe/libstorescope-probe.so 2>&1 | grep -v 'No such'
      """,
    ]
    trial.standardOutput = FileHandle.nullDevice
    trial.standardError = FileHandle.nullDevice
    try trial.run()
    trial.waitUntilExit()
    return trial.terminationStatus == 0
  }

  private static let live = ConditionTrait.enabled(
    if: ProcessInfo.processInfo.environment["LIVE"] != nil, "make test-live")

  /// A recorder's result, and the program's own count of its statements and rows.
  private struct Host {
    var status: Int
    var counts: [UInt64]
    var messages: String
  }

  private func run(_ scenario: String) async throws {
    let run = try await recorder.run(
      "/bin/bash",
      [Self.script, BuiltProducts.path(of: "trace-report"), recorder.folder.path(""), scenario])
    try #require(run.status == 0, "\(run.errorOutput)")
  }

  private func host(_ name: String) throws -> Host {
    func text(_ suffix: String) throws -> String {
      try String(contentsOfFile: recorder.folder.path("\(name).\(suffix)"), encoding: .utf8)
    }
    let status = try text("code").filter { $0.isNumber }
    return Host(
      status: try #require(Int(status)),
      counts: try text("out").split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) },
      messages: try text("err"))
  }

  private func report(_ arguments: String...) async throws -> Recorder.Run {
    try await recorder.run(BuiltProducts.path(of: "trace-report"), arguments)
  }

  private func profile() async throws -> Profile {
    let run = try await report("summary", recorder.folder.path("relay"), "--json")
    #expect(run.status == 0, "\(run.errorOutput)")
    return try SavedReport.profile(in: Data(run.output.utf8), name: "relay")
  }

  @Test(Self.namespaces) func twoHostsStreamIntoOneReport() async throws {
    try await run("two")
    let (seven, eight) = (try host("kiosk-7"), try host("kiosk-8"))
    #expect(seven.status == 0, "\(seven.messages)")
    #expect(eight.status == 3, "\(eight.messages)")
    let profile = try await profile()
    #expect(seven.counts == [601, 897])
    #expect(eight.counts == [401, 597])
    for (name, host) in [("kiosk-7", seven), ("till-3", eight)] {
      let rows = profile.formRows.filter { $0.origin.host == name }
      let sums = [rows.reduce(0) { $0 + $1.work.count }, rows.reduce(0) { $0 + $1.work.rows }]
      #expect(sums == host.counts, "\(name)")
    }
    let labels = Set(
      profile.formRows.map { [$0.origin.host, $0.origin.version, $0.origin.labels["note"] ?? ""] })
    #expect(labels == [["kiosk-7", "1.4", "a/b % ü"], ["till-3", "1.5", ""]])
    #expect(Set(profile.processes.map(\.identity.host)) == ["kiosk-7", "kiosk-8"])
    #expect(profile.reading.sources.map(\.eventsLost) == [0, 0])
    #expect(
      profile.reading.sources.compactMap(\.failures) == [["the program ended with code 3"]])
  }

  @Test(Self.namespaces) func theSameRelayedRecordingIsNotCountedTwice() async throws {
    try await run("two")
    let relay = recorder.folder.path("relay")
    try FileManager.default.copyItem(atPath: "\(relay)/kiosk-7", toPath: "\(relay)/kiosk-9")
    let run = try await report("summary", "--all", relay)
    #expect(run.status == 3)
    #expect(run.errorOutput.contains("would count twice"), "\(run.errorOutput)")
  }

  @Test(Self.namespaces) func relayedTraceNeedsAssumeComplete() async throws {
    try await run("two")
    let baseline = recorder.folder.path("baseline.json")
    let trace = recorder.folder.path("relay/kiosk-7")
    #expect(try await report("baseline", trace, "-o", baseline).status == 0)
    let run = try await report("gate", trace, "--baseline", baseline)
    #expect(run.status == 3)
    #expect(run.output.contains("came through a relay, so it has no hash"), "\(run.output)")
    let vouched = try await report(
      "gate", trace, "--baseline", baseline, "--assume-complete")
    #expect(vouched.status == 0, "\(vouched.output)")
    let failed = try await report(
      "gate", recorder.folder.path("relay/kiosk-8"), "--baseline", baseline, "--assume-complete")
    #expect(failed.output.contains("the program ended with code 3"), "\(failed.output)")
  }

  @Test(Self.namespaces) func theProgramRunsOnWhereItsRelayIsLost() async throws {
    try await run("lost")
    let host = try host("kiosk-7")
    #expect(host.counts == [2001, 2997])
    #expect(host.status == 1)
    #expect(
      host.messages.contains(
        "was lost, so events from now on are not recorded; the program runs on"))
    #expect(host.messages.contains("did not get all of the recording"))
    let summary = try await report("summary", "--all", recorder.folder.path("relay"))
    #expect(summary.output.contains("its recording has not ended"), "\(summary.output)")
    #expect(summary.output.contains("INCONCLUSIVE"))
  }

  @Test(Self.namespaces, Self.live) func theProgramRunsOnWhereItsRelayHangs() async throws {
    try await run("stalled")
    let host = try host("kiosk-7")
    #expect(host.counts == [2001, 2997])
    #expect(host.status == 1)
    #expect(host.messages.contains("did not get all of the recording"), "\(host.messages)")
    let summary = try await report("summary", "--all", recorder.folder.path("relay"))
    #expect(summary.output.contains("its recording has not ended"), "\(summary.output)")
  }

  @Test(Self.namespaces) func wrongRelayIsNamedBeforeTheProgramStarts() async throws {
    try await run("refused")
    let refused = try host("kiosk-7")
    #expect(refused.status == 1)
    #expect(refused.counts == [])
    #expect(
      refused.messages
        == "trace-report: no relay daemon answers at 10.77.0.1:5342 (Connection refused), so nothing "
        + "was recorded; start one there: lttng-relayd --output=FOLDER\n")
    let other = try String(contentsOfFile: recorder.folder.path("other.err"), encoding: .utf8)
    #expect(
      other
        == "trace-report: 10.77.0.1:5342 is not an LTTng relay daemon, so nothing was "
        + "recorded; pass the control port of one: --relay HOST:PORT\n")
    let unknown = try host("kiosk-8")
    #expect(unknown.status == 1)
    #expect(
      unknown.messages.hasPrefix(
        "trace-report: the host 'no-such-host.invalid' of the relay is unknown ("))
    #expect(unknown.messages.hasSuffix("check --relay, or pass its address\n"))
  }
}

struct RelayAddressTests {
  @Test(arguments: [
    ("relay", "relay 5342 5343"), ("relay:7000", "relay 7000 7001"),
    ("10.0.0.7:7000:7005", "10.0.0.7 7000 7005"), ("[fe80::1]", "fe80::1 5342 5343"),
    ("[fe80::1]:7000", "fe80::1 7000 7001"), ("relay:", nil), ("relay:0", nil), (":5342", nil),
    ("relay:70000", nil), ("relay:1:2:3", nil), ("net://relay", nil), ("[fe80::1", nil), ("", nil),
    ("relay:65535", nil),
  ])
  func portsFollowTheHost(text: String, expected: String?) {
    let address = RelayAddress(text)
    #expect(address.map { "\($0.host) \($0.port) \($0.dataPort)" } == expected)
  }

  @Test func longLabelsFitNoPath() {
    #expect(RelayedRecording.path(of: ["note": String(repeating: "x", count: 250)]) != nil)
    #expect(RelayedRecording.path(of: ["note": String(repeating: "/", count: 200)]) == nil)
  }
}
