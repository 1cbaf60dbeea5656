// SPDX-License-Identifier: Apache-2.0

import Foundation
import PhotosModel
import StoreEvents
import TestSupport
import Testing
import TraceReading

/// The stories of the three versions, by the debug logs of their runs.
@Suite struct PhotosCommandTests {
  private let folder: TemporaryDirectory
  private let photos = Program("photos")

  init() throws {
    folder = try TemporaryDirectory()
    // 12 KB a picture: the stories need their number, not their size.
    try PhotoStore.make(in: folder.url.path, Album(side: 64), replacing: false)
  }

  /// One run, and its logged events.
  private func run(_ arguments: String...) async throws -> (output: String, events: [StoreEvent]) {
    let log = folder.path("store.log")
    unlink(log)
    let run = try await photos.run(
      arguments + ["--folder", folder.url.path],
      environment: ["STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": log])
    #expect(run.status == 0 && run.error == "")
    var events: [StoreEvent] = []
    let report = try TraceReader.read([log]) { events.append($0.event) }
    #expect(report.sources[0].unrecognizedSamples == [])
    return (run.output, events)
  }

  @Test func versionOneLoadsAllBytesAtLaunch() async throws {
    let (output, events) = try await run("list", "--version", "1", "--click", "7")
    let fetches = events.fetches
    #expect(fetches.map(\.rows) == [184] && fetches.map(\.kind) == [.objects])
    #expect(events.sql(fetches[0])?.contains("t0.ZBLOB") == true)
    // Each picture is 12,342 bytes.
    #expect(try #require(Self.megabytesRead(in: output, line: 0)) >= 2.27)
    #expect(events.misses == [] && events.faults == [])
  }

  @Test func versionOneInBatchesLoadsTheFirstScreen() async throws {
    let (output, events) = try await run("list", "--version", "1", "--after")
    #expect(events.fetches.map(\.kind) == [.objects, .batch])
    #expect(events.fetches.map(\.rows) == [184, 20])
    #expect(try #require(Self.megabytesRead(in: output, line: 0)) < 1)
  }

  @Test(arguments: ["2", "3"])
  func aClickIsOneCacheMiss(version: String) async throws {
    let (output, events) = try await run(
      "list", "--version", version, "--click", "7", "--click", "7", "--click", "8")
    #expect(events.fetches.map(\.rows) == [184])
    #expect(events.sql(events.fetches[0])?.contains("ZBLOB") == false)
    #expect(events.misses.map(\.entity) == ["Picture", "Picture"])
    #expect(events.faults.map(\.source) == [.database, .database])
    let lines = output.split(separator: "\n")
    #expect(
      lines[1].hasPrefix("click on photo 7: 0.01 MB shown, 0 fetches, 1 fault, 1 cache miss,"))
    #expect(
      lines[2].hasPrefix("click on photo 7: 0.01 MB shown, 0 fetches, 0 faults, 0 cache miss"))
    #expect(lines[3].contains("0 fetches, 1 fault, 1 cache miss,"))
    #expect(try #require(Self.megabytesRead(in: output, line: 0)) < 1.2)
  }

  @Test(arguments: ["2", "3"])
  func scrollingWithoutPrefetchingMissesForEachPicture(version: String) async throws {
    let (output, events) = try await run("list", "--version", version, "--scroll", "--before")
    #expect(events.misses.count == 184)
    #expect(Set(events.misses.map(\.originFetchID)) == [events.fetches[0].fetchID])
    #expect(output.contains("\nscroll: 184 pictures, 2.27 MB shown, 0 fetches, 184 faults, 184 "))
  }

  @Test(arguments: ["2", "3"])
  func scrollingWithPrefetchingMissesNothing(version: String) async throws {
    let (output, events) = try await run("list", "--version", version, "--scroll", "--after")
    #expect(events.misses == [])
    let prefetches = events.fetches.filter { $0.kind == .prefetch }
    #expect(prefetches.count == 10 && prefetches.reduce(0) { $0 + $1.rows } == 184)
    let batches = events.fetches.filter { $0.kind == .batch }
    #expect(Set(prefetches.map(\.parentID)).isSubset(of: batches.map(\.fetchID)))
    #expect(batches.count == 11)
    #expect(output.contains("\nscroll: 184 pictures, 2.27 MB shown, 21 fetches, 0 faults, 0 cache"))
  }

  /// 197 KB a picture lie in files of their own.
  @Test func aPictureIsReadWhenItIsClickedOn() async throws {
    for _ in 1...2 {
      let made = try await photos.run(
        "generate", "--photos", "12", "--force", "--folder", folder.url.path)
      #expect(made.status == 0)
    }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.path(".photos-2_SUPPORT/_EXTERNAL_DATA"))
    #expect(files.count == 12)
    let (first, _) = try await run("list", "--version", "1")
    #expect(try #require(Self.megabytesRead(in: first, line: 0)) >= 2.36)
    let (output, events) = try await run("list", "--version", "2", "--click", "7", "--scroll")
    #expect(try #require(Self.megabytesRead(in: output, line: 0)) < 0.2)
    let click = try #require(Self.megabytesRead(in: output, line: 1))
    #expect(0.19..<0.4 ~= click)
    #expect(try #require(Self.megabytesRead(in: output, line: 2)) >= 11 * 0.19)
    #expect(events.misses.count == 12)
    let log = try String(contentsOfFile: folder.path("store.log"), encoding: .utf8)
    #expect(log.split(separator: "external data: 196662 bytes of Picture.blob in ").count == 13)
  }

  @Test func findsTheSamePhotosByEachForm() async throws {
    let begins = try await run("search", "Röm", "--form", "begins")
    let related = try await run("search", "rom", "--after")
    let matches = try await run("search", "rom", "--before")
    let found = begins.output.split(separator: "\n").dropLast()
    #expect(found.count > 20 && found == related.output.split(separator: "\n").dropLast())
    #expect(found == matches.output.split(separator: "\n").dropLast())
    for version in ["1", "2"] {
      let text = try await run("search", "rom", "--version", version, "--before")
      #expect(found == text.output.split(separator: "\n").dropLast())
    }
    #expect(begins.events.fetches.map(\.entity) == ["Photo"])
    #expect(related.events.fetches.map(\.entity) == ["Photo", "Tag"])
    #expect(related.events.fetches.map(\.kind) == [.prefetch, .objects])
    #expect(related.events.fetches[1].counters.fullScanSteps == 0)
    #expect(related.events.fetches[0].rows >= UInt64(found.count))
    let expected = (0..<184).map { Album(side: 64).entry($0) }
      .filter { $0.tags.contains { $0.hasPrefix("Rom") } }.map { "  " + $0.label }
    #expect(found.map(String.init) == expected.sorted())
  }

  @Test func listsAndSearchesOnlyExistingItems() async throws {
    let nowhere = try await photos.run("list", "--folder", folder.path("nowhere"))
    #expect(nowhere.status == 1)
    #expect(nowhere.error.contains("make them with 'photos generate'"))
    let beyond = try await photos.run("list", "--click", "185", "--folder", folder.url.path)
    #expect(beyond.status == 1)
    #expect(beyond.error == "Error: no photo 185; the store has 184 photos, numbered from 1\n")
    let text = try await photos.run(
      "search", "rom", "--version", "2", "--after", "--folder", folder.url.path)
    #expect(text.status == 1)
    #expect(text.error.contains("version 2 keeps the tags of a photo as one text"))
    let again = try await photos.run("generate", "--folder", folder.url.path)
    #expect(again.status == 1 && again.error.contains("exists already"))
    #expect(try await photos.run("list", "--version", "4").status == 64)
    #expect(try await photos.run("generate", "--pixels", "0").status == 64)
  }

  @Test func generatesWhereItIsAllowedTo() async throws {
    let made = try await photos.run(
      "generate", "--photos", "3", "--pixels", "8", "--force", "--folder", folder.url.path)
    #expect(made.status == 0)
    #expect(
      made.output
        == (1...3).map {
          "made \(folder.url.path)/photos-\($0).sqlite: 3 photos, seed 1\n"
        }.joined())
    let listed = try await photos.run("list", "--folder", folder.url.path)
    #expect(listed.output.hasPrefix("launch: 3 of 3 photos shown, 1 fetch, 0 faults, "))
  }

  /// The number before `MB read`.
  private static func megabytesRead(in output: String, line: Int) -> Double? {
    let words = output.split(separator: "\n")[line].split(separator: " ")
    guard let index = words.firstIndex(of: "read,"), index > 1 else { return nil }
    return Double(words[index - 2])
  }
}

extension [StoreEvent] {
  fileprivate var fetches: [FetchEnd] {
    compactMap { if case .fetchEnd(let end) = $0 { end } else { nil } }
  }
  fileprivate var misses: [CacheMiss] {
    compactMap { if case .cacheMiss(let miss) = $0 { miss } else { nil } }
  }
  fileprivate var faults: [FaultFired] {
    compactMap { if case .fault(let fault) = $0 { fault } else { nil } }
  }
  fileprivate func sql(_ fetch: FetchEnd) -> String? {
    lazy.compactMap { event -> String? in
      guard case .statement(let statement) = event, statement.statementID == fetch.statementID
      else { return nil }
      return statement.sql
    }.first
  }
}
