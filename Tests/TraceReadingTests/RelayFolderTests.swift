// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

@testable import TraceReading

struct RelayFolderTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func make(_ paths: String...) throws {
    for path in paths {
      try FileManager.default.createDirectory(
        atPath: folder.path(path), withIntermediateDirectories: true)
    }
  }

  private func recordings(_ path: String) -> [String] {
    RelayFolder.recordings(beneath: folder.path(path)).map {
      String($0.dropFirst(folder.path("").count + 1))
    }
  }

  @Test func labelsAreReadFromTheNamesOfFolders() throws {
    let labels = ["host": "kiosk 7/ü%", "version": "1.4", "empty": "", "dots": ".."]
    let path = try #require(RelayedRecording.path(of: labels))
    try make("a/storescope-1-2/\(path)/ust/uid/0/64-bit")
    #expect(RelayFolder.labels(of: folder.path("a/storescope-1-2")) == labels)
    #expect(RelayFolder.labels(of: folder.path("a")) == [:])
  }

  @Test func eachRecordingIsFoundByHost() throws {
    try make(
      "relay/a/storescope-1-2/ust", "relay/a/storescope-1-3/ended/exit=0",
      "relay/a/storescope-1-3/version=1/ust", "relay/b/storescope-1-2/ust", "relay/b/other/ust")
    #expect(
      recordings("relay")
        == ["relay/a/storescope-1-2", "relay/a/storescope-1-3", "relay/b/storescope-1-2"])
    #expect(recordings("relay/a/storescope-1-2") == [])
    #expect(RelayFolder.end(of: folder.path("relay/a/storescope-1-2")) == nil)
    #expect(RelayFolder.end(of: folder.path("relay/a/storescope-1-3")) == .exit(0))
  }

  @Test func aFolderWithOtherTracesIsNoRelays() throws {
    try make("mixed/a/storescope-1-2/ust/uid/0/64-bit", "mixed/local/ust/uid/0/64-bit")
    for trace in ["mixed/a/storescope-1-2", "mixed/local"] {
      try Data().write(to: URL(filePath: folder.path("\(trace)/ust/uid/0/64-bit/metadata")))
    }
    #expect(recordings("mixed") == [])
    #expect(recordings("mixed/a") == ["mixed/a/storescope-1-2"])
    #expect(recordings("mixed/local") == [])
  }

  @Test func theEndIsFoundWhereTheRelayGroupsBySession() throws {
    try make(
      "relay/s/a-20261123-010000/storescope-1-2/ust",
      "relay/s/a-20261123-010100/storescope-1-2/ended/signal=9")
    #expect(recordings("relay") == ["relay/s/a-20261123-010000/storescope-1-2"])
    let path = folder.path("relay/s/a-20261123-010000/storescope-1-2")
    #expect(RelayFolder.end(of: path) == .signal(9))
  }

  @Test func recordingsOfOneHostWithEqualLabelsAreReadTogether() throws {
    try make(
      "a/storescope-1-2/v=1", "a/storescope-1-3/v=1", "a/storescope-1-4/v=2", "b/storescope-1-2/v=1"
    )
    let paths = ["a/storescope-1-2", "a/storescope-1-3", "a/storescope-1-4", "b/storescope-1-2"]
      .map { folder.path($0) }
    #expect(
      RelayFolder.groups(of: ["x.log"] + paths + ["y.log"])
        == [["x.log", "y.log"], Array(paths[...1]), [paths[2]], [paths[3]]])
  }
}
