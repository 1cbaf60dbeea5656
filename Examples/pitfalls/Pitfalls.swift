// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ObjectStore
import StoreInstruments

/// Makes eleven mistakes, one a function, or does the same as it should be done.
@main
struct Pitfalls: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pitfalls",
    abstract: "Makes eleven mistakes, each of which a rule of trace-report finds.",
    discussion: """
      trace-report record -o t -- pitfalls before --store before.sqlite
      trace-report summary t --database before.sqlite
      trace-report record -o t2 -- pitfalls after --store after.sqlite
      trace-report summary t2 --database after.sqlite

      The store is made first, without being traced. Each line of Before.swift with a comment
      'finds: RULE' has one finding, and After.swift has none.
      """)

  enum Form: String, CaseIterable, ExpressibleByArgument { case before, after }

  @Argument(help: "before: with the mistakes; after: without.")
  var form: Form

  @Option(help: "The store to make; a file of this name is replaced.")
  var store = "pitfalls.sqlite"

  func run() throws {
    for suffix in ["", "-wal", "-shm"] { unlink(store + suffix) }
    switch form {
    case .before:
      try work(Before.entities, Before.fill) { try Before.run(in: $0) }
    case .after:
      try work(After.entities, After.fill) { try After.run(in: $0) }
    }
  }

  /// Fills a store, closes it, and opens it again for the work that is traced.
  private func work(
    _ entities: [any Entity.Type], _ fill: (ManagedObjectContext) throws -> Void,
    _ work: (PersistentContainer) throws -> Int
  ) throws {
    let url = URL(fileURLWithPath: store)
    let draft = try PersistentContainer(
      at: url, entities: entities, instruments: Instruments(observers: []))
    let context = draft.newBackgroundContext()
    try fill(context)
    try context.save()
    draft.close()
    let container = try PersistentContainer(at: url, entities: entities)
    let seen = try work(container)
    container.close()
    print("\(form.rawValue): \(seen) objects seen")
  }
}

/// How much of everything there is; both forms have the same.
enum Amounts {
  static let items = 6000
  static let owners = 200
  static let photos = 40
  static let saves = 60
  static let pictureBytes = 8000
  static let page = 50
  static let pageOffset = 5000

  static func itemName(_ number: Int) -> String { "Item \(1_000_000 + number)" }
  static func ownerName(_ number: Int) -> String { "Owner \(1000 + number)" }
  static func picture(_ number: Int) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: number), count: pictureBytes)
  }
}
