// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// A hash of a file's schema, entities and metadata, and of the model that they fit; kept in the metadata.
///
///     ObjectStoreSeal:00c0ffee00c0ffee
///
/// A file with the seal of a model needs no plan: a plan for the same schema, the same metadata and the same
/// model found that nothing has to change. Any other writer of the schema or of the metadata breaks the seal.
struct StoreSeal {
  /// The metadata with it, as long as the file is not sealed.
  static let blank = mark + String(repeating: "0", count: digitCount)

  private static let mark = "ObjectStoreSeal:"
  private static let digitCount = 16

  private(set) var uuid = ""
  private(set) var hasHistory = false
  /// The numbers of the file's entities, by name.
  private var numbers: [String: Int64] = [:]
  private var propertyList: [UInt8] = []
  /// The position of the seal in the property list.
  private var digits: Range<Int>?
  /// Of the schema, the entities and the metadata around the digits.
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Reads a file in a transaction; nil for a file that is not a store.
  init?(_ connection: Connection) throws(SQLiteError) {
    guard try addSchema(connection) else { return nil }
    let entities = try connection.prepare("SELECT Z_NAME, Z_ENT, Z_SUPER FROM Z_PRIMARYKEY")
    while try entities.step() {
      let (name, number) = (entities.string(0), entities.int64(1))
      add("\(name) \(number) \(entities.int64(2))")
      if number < HistorySchema.firstEntity { numbers[name] = number }
    }
    let metadata = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
    if try metadata.step() {
      uuid = metadata.string(0)
      propertyList = Array(metadata.blob(1))
    }
    add(uuid)
    addPropertyList()
  }

  /// Whether a file has the same contents, apart from the seal.
  func hasContents(of other: Self) -> Bool { hash == other.hash }

  /// Adopts the file's numbers; returns false if the model is not the sealed one.
  func fits(_ model: ManagedObjectModel) throws -> Bool {
    guard digits != nil, model.entities.allSatisfy({ numbers[$0.name] != nil }) else {
      return false
    }
    try model.renumber(numbers, storeUUID: uuid)
    return isValid(for: model, [])
  }

  /// - Parameter leftovers: contents of the file that the model lacks; with any, each opening has a plan.
  func isValid(for model: ManagedObjectModel, _ leftovers: [String]) -> Bool {
    guard let digits else { return false }
    return propertyList[digits].elementsEqual(seal(of: model, leftovers).utf8)
  }

  /// Seals a file with metadata that were just set to a model.
  static func write(
    _ model: ManagedObjectModel, _ leftovers: [String], to connection: Connection
  ) throws {
    guard var file = try Self(connection), let digits = file.digits else { return }
    file.propertyList.replaceSubrange(digits, with: file.seal(of: model, leftovers).utf8)
    let statement = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
    file.propertyList.withUnsafeBytes { statement.bind(blob: $0, at: 1) }
    try statement.run()
  }

  private func seal(of model: ManagedObjectModel, _ leftovers: [String]) -> String {
    var sealed = self
    for text in model.facts + leftovers { sealed.add(text) }
    let digits = String(sealed.hash, radix: 16)
    return String(repeating: "0", count: Self.digitCount - digits.count) + digits
  }

  // MARK: - Hashing

  private mutating func addSchema(_ connection: Connection) throws(SQLiteError) -> Bool {
    var missing: Set = ["Z_PRIMARYKEY", "Z_METADATA"]
    let rows = try connection.prepare(
      "SELECT type, name, sql FROM sqlite_master WHERE name NOT GLOB 'sqlite_*'")
    while try rows.step() {
      if rows.string(0) == "table" {
        let name = rows.string(1)
        missing.remove(name)
        if name == "ATRANSACTION" { hasHistory = true }
      }
      for column in Int32(0)..<3 { add(rows.blob(column)) }
    }
    return missing.isEmpty
  }

  private mutating func addPropertyList() {
    propertyList.withUnsafeBytes { bytes in
      let mark = Array(Self.mark.utf8)
      let starts = 0..<max(0, bytes.count - mark.count - Self.digitCount)
      let start = starts.first { bytes[$0] == mark[0] && bytes[$0...].starts(with: mark) }
      guard let first = start.map({ $0 + mark.count }) else { return }
      let end = first + Self.digitCount
      digits = first..<end
      add(UnsafeRawBufferPointer(rebasing: bytes[..<first]))
      add(UnsafeRawBufferPointer(rebasing: bytes[end...]))
    }
  }

  private mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// FNV-1a, with the length, so that two texts differ from one.
  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    hash = bytes.reduce(hash ^ UInt64(bytes.count)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

extension ManagedObjectModel {
  /// The facts that a plan depends on, in the columns and tables of a file.
  fileprivate var facts: [String] {
    entities.map(\.versionText) + StoreSchema(model: self).statements + renamings(\.entityID)
      + recordedTypes + roots.map { $0.hierarchy?.isPartial == true ? "partial" : "" }
  }
}
