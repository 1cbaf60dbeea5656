// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import TraceRecording

struct IncidentFolderTests {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  private func make(_ name: String, bytes: Int = 0) throws {
    let folder = directory.path(name)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(count: bytes).write(to: URL(filePath: folder + "/stream"))
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path("")).sorted() }
  }

  @Test func findsSnapshotsInTheOrderInWhichTheyWereTaken() throws {
    for name in [
      "snapshot-when2-20261122-124510-10", "snapshot-when1-20261122-124511-9",
      "snapshot-when3-20261122-124511-1", "snapshot-whenx-20261122-124511-2", "snapshot-1",
      "incident-4",
    ] { try make(name) }
    let found = IncidentFolder(path: directory.path("")).snapshots(of: 2)
    #expect(found.map(\.condition) == [0, 1])
    #expect(found.map(\.folder.last) == ["9", "0"])
  }

  @Test func removesTheOldestIncidentsBeyondTheDisk() throws {
    var folder = IncidentFolder(path: directory.path(""))
    for number in 1...12 {
      let name = "snapshot-when1-20261122-124510-\(number)"
      try make(name, bytes: 100_000)
      let claimed = folder.claim(name)
      #expect(claimed?.number == number)
    }
    folder.trim(to: 350_000)
    #expect(try names == ["incident-10", "incident-11", "incident-12"])
    // A number is not given to another incident again.
    try make("snapshot-when1-20261122-124511-13", bytes: 100_000)
    let next = folder.claim("snapshot-when1-20261122-124511-13")
    #expect(next?.number == 13)
    folder.trim(to: 0)
    #expect(try names == [])
  }

  @Test func theNumberOfASnapshotThatIsNoIncidentIsUsedAgain() throws {
    var folder = IncidentFolder(path: directory.path(""))
    for order in 1...2 { try make("snapshot-when1-20261122-124510-\(order)") }
    let first = folder.claim("snapshot-when1-20261122-124510-1")
    folder.discard(try #require(first).folder)
    let second = folder.claim("snapshot-when1-20261122-124510-2")
    #expect(second?.number == 1)
    #expect(try names == ["incident-1"])
  }
}
