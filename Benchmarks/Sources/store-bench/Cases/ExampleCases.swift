// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import Foundation
import PhotosModel
import RecordsModel
import TransitModel

/// The examples as their commands run them, beside what the articles and the talk of 2010 to 2013
/// report of their machines.
enum ExampleCases {
  static func transit(_ workspace: Workspace) throws -> [Comparison] {
    let path = try workspace.transitStore()
    let copy = workspace.path("transit-before.sqlite")
    try? FileManager.default.removeItem(atPath: copy)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let before = try StopStore(path: copy, version: .before)
    let after = try StopStore(path: path, version: .after)
    let clock = ServiceTime(seconds: 30_600)
    return [
      pair(
        "Example transit: the stops around a point", before, after, .nearby(.init()), repeats: 20,
        published: "360 µs"),
      pair(
        "Example transit: with a departure in twenty minutes", before, after,
        .departures(.init(), after: clock, minutes: 20), repeats: 20, published: "12.3 ms"),
      pair(
        "Example transit: a name that begins with “u gorli”", before, after, .named("u gorli"),
        repeats: 10, published: "6.2 ms", publishedBefore: "7.6 ms"),
    ]
  }

  private static func pair(
    _ title: String, _ before: StopStore, _ after: StopStore, _ search: StopSearch, repeats: Int,
    published: String, publishedBefore: String? = nil
  ) -> Comparison {
    let contender = { (store: StopStore, published: String?) in
      Contender(name: store.version.rawValue, published: published) {
        try store.run(search, times: repeats).rowCount
      }
    }
    return Comparison(
      title: title, units: (repeats, "search"),
      contenders: [contender(before, publishedBefore), contender(after, published)])
  }

  static func photos(_ workspace: Workspace) throws -> [Comparison] {
    let folder = workspace.path("photos")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try PhotoStore.make(in: folder, Album(), replacing: true)
    let stores = try PhotoVersion.allCases.map { try PhotoStore(in: folder, $0) }
    let forms: [(TagSearch, String?)] = [
      (.matches, "38.5 ms"), (.begins, "2.3 ms"), (.related, nil),
    ]
    return [
      Comparison(
        title: "Example photos: the photos with a tag that begins with “rom”, of 184",
        units: (20, "search"),
        contenders: forms.map { form, published in
          Contender(name: form.rawValue, published: published) {
            for _ in 1..<20 { _ = try stores[2].search("rom", form) }
            return try stores[2].search("rom", form).labels.count
          }
        }),
      Comparison(
        title: "Example photos: the list appears, of 184", units: (1, "launch"),
        contenders: [
          launch("version 1, all at once", folder, .first, .before),
          launch("version 2, all at once", folder, .second, .before),
          launch("version 3, in batches", folder, .third, .after),
        ]),
    ]
  }

  /// The store is opened before the clock runs, with nothing in its row cache.
  private static func launch(
    _ name: String, _ folder: String, _ version: PhotoVersion, _ manner: Manner
  ) -> Contender {
    nonisolated(unsafe) var store: PhotoStore?
    return Contender(name: name, prepare: { store = try PhotoStore(in: folder, version) }) {
      try store?.list([.launch], manner).first?.count ?? 0
    }
  }

  static func records(_ workspace: Workspace) throws -> [Comparison] {
    let path = workspace.path("records.sqlite")
    try RecordStore.make(at: path, count: 1_500, seed: 1, replacing: true)
    let store = try RecordStore(path: path)
    let contender = { (version: RecordsModel.Version, published: String) in
      Contender(name: version.rawValue, published: published) {
        try store.list(version, times: 10).times.last?.rows ?? 0
      }
    }
    return [
      Comparison(
        title: "Example records: a list of 1,500 in the order of a language", units: (10, "list"),
        contenders: [
          contender(.before, "1,031 ms, of which 873 ms in SQLite"),
          contender(.after, "354 ms, of which 210 ms in SQLite, of 1,327"),
        ],
        remark: {
          let times = try RecordsModel.Version.allCases.map { version in
            let times = try store.list(version, times: 15).times
            let median = times[times.count / 2].connection / .nanoseconds(1)
            return "\(version.rawValue) \(Cell.time(Double(median)))"
          }
          return "In SQLite: \(times.joined(separator: ", ")). The time here includes the sections."
        })
    ]
  }
}
