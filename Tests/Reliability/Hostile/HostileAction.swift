// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

/// The operation of a case on a store that could be opened.
enum HostileAction: CaseIterable {
  case read, open, changeValue, insert, delete, moveMember, appendMember, relate, linkPair
  case batchUpdate, batchInsert, batchUpsert, batchDelete, obtainIDs, purgeHistory, child, undo

  typealias Author = HostileModel.Author
  typealias Book = HostileModel.Book
  typealias Tag = HostileModel.Tag
  typealias Vehicle = HostileModel.Vehicle

  func run(
    in container: PersistentContainer, _ request: inout HostileRequest,
    _ random: inout HostileDatabase
  ) throws {
    let context = container.newBackgroundContext(name: "hostile")
    context.transactionAuthor = "fuzzer"
    let policies: [MergePolicy] = [.error, .objectTrump, .storeTrump, .overwrite, .rollback]
    context.mergePolicy = random.pick(policies) ?? .error
    switch self {
    case .read, .open: break
    case .changeValue:
      guard let book = random.pick(try context.fetch(FetchRequest<Book>())) else { return }
      request.may("ZBOOK", "\(book.objectID.primaryKey)", ["ZTITLE", "ZCOVER", "Z_OPT"])
      book.title = "changed"
      book.cover = Data(repeating: 9, count: 200)
      try context.save()
    case .insert:
      request.mayAdd("ZBOOK")
      let book = context.insert(Book.self)
      book.title = "new"
      book.cover = Data(repeating: 8, count: 500)
      try context.save()
    case .delete:
      guard let author = random.pick(try context.fetch(FetchRequest<Author>())) else { return }
      for table in ["ZAUTHOR", "ZBOOK", "ZVEHICLE"] { request.may(table, nil, nil) }
      request.mayPairs()
      request.mayRelate()
      context.delete(author)
      try context.save()
    case .moveMember, .appendMember:
      guard let author = random.pick(try context.fetch(FetchRequest<Author>())) else { return }
      request.may("ZBOOK", nil, ["Z_FOK_AUTHOR", "ZAUTHOR"])
      request.mayRelate()
      if self == .moveMember, let book = author.books.first {
        author.books.remove(book)
        author.books.append(book)
      } else if let book = random.pick(try context.fetch(FetchRequest<Book>())) {
        author.books.append(book)
      }
      try context.save()
    case .relate:
      guard let book = random.pick(try context.fetch(FetchRequest<Book>())) else { return }
      request.may(
        "ZBOOK", "\(book.objectID.primaryKey)",
        ["ZVEHICLE", "ZAUTHOR", "Z_FOK_AUTHOR", "Z_OPT"], alsoEntityColumns: true)
      request.mayRelate()
      book.vehicle = random.pick(try context.fetch(FetchRequest<Vehicle>()))
      book.author = random.pick(try context.fetch(FetchRequest<Author>()))
      try context.save()
    case .linkPair:
      guard let book = random.pick(try context.fetch(FetchRequest<Book>())),
        let tag = random.pick(try context.fetch(FetchRequest<Tag>()))
      else { return }
      request.mayPairs()
      request.mayRelate()
      if book.tags.contains(tag) { book.tags.remove(tag) } else { book.tags.insert(tag, at: 0) }
      tag.related.append(tag)
      try context.save()
    case .batchUpdate:
      request.may("ZBOOK", nil, ["ZPAGES", "Z_OPT"])
      var update = BatchUpdateRequest<Book>()
      update.set(\.pages, to: 7)
      if random.number(0...1) == 0 { update.resultType = .objectIDs }
      try context.execute(update)
    case .batchInsert, .batchUpsert:
      request.mayAdd("ZAUTHOR")
      if self == .batchUpsert { request.may("ZAUTHOR", nil, ["ZNAME", "Z_OPT"]) }
      try context.batchInsert(
        Author.self, count: 2, onConflict: self == .batchUpsert ? .update : .ignore
      ) { row, index in
        row.name = "batch"
        row.code = Int64(index)
      }
    case .batchDelete:
      for table in ["ZAUTHOR", "ZBOOK", "ZVEHICLE"] { request.may(table, nil, nil) }
      request.mayPairs()
      request.mayRelate()
      try context.execute(BatchDeleteRequest<Author>(FetchRequest()))
    case .obtainIDs:
      request.mayAdd("ZTAG")
      let tag = context.insert(Tag.self)
      tag.name = "early"
      try context.obtainPermanentIDs(for: [tag])
      try context.save()
    case .purgeHistory:
      if let token = try container.currentHistoryToken() {
        try container.deleteHistory(before: token)
      }
    case .child:
      let child = ManagedObjectContext(parent: context)
      guard let book = random.pick(try child.fetch(FetchRequest<Book>())) else { return }
      request.may("ZBOOK", "\(book.objectID.primaryKey)", ["ZTITLE", "Z_OPT"])
      book.title = "child"
      try child.save()
      try context.save()
    case .undo:
      let undoManager = ContextUndoManager()
      context.undoManager = undoManager
      guard let author = random.pick(try context.fetch(FetchRequest<Author>())) else { return }
      for table in ["ZAUTHOR", "ZBOOK", "ZVEHICLE"] { request.may(table, nil, nil) }
      request.mayPairs()
      request.mayRelate()
      context.delete(author)
      try context.save()
      undoManager.undo()
      try context.save()
    }
  }
}

/// The allowed changes of a case: rows and columns of tables; the store's own tables always, when
/// it saves.
struct HostileRequest {
  private struct Permission {
    let table: String
    let row: String?
    let columns: Set<String>?
    var alsoEntityColumns = false
  }

  private var permissions: [Permission] = []
  private var added: Set<String> = []
  private var changesPairs = false
  private var isAnything: Bool { !permissions.isEmpty || !added.isEmpty || changesPairs }

  mutating func may(
    _ table: String, _ row: String?, _ columns: Set<String>?, alsoEntityColumns: Bool = false
  ) {
    permissions.append(
      Permission(table: table, row: row, columns: columns, alsoEntityColumns: alsoEntityColumns))
  }

  /// An object with a changed relationship gets a new version as well.
  mutating func mayRelate() {
    for table in ["ZAUTHOR", "ZBOOK", "ZTAG", "ZVEHICLE"] { may(table, nil, ["Z_OPT"]) }
  }

  mutating func mayAdd(_ table: String) { added.insert(table) }
  mutating func mayPairs() { changesPairs = true }

  static func isOwn(_ table: String) -> Bool {
    ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING"]
      .contains(table)
  }

  func mayChange(_ table: String, _ row: String, _ column: String) -> Bool {
    switch table {
    case "Z_PRIMARYKEY" where column == "Z_MAX", "ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING":
      return isAnything || table != "Z_PRIMARYKEY"
    case _ where table.hasPrefix("Z_") && table.dropFirst(2).first?.isNumber == true:
      if changesPairs { return true }
    default: break
    }
    if column.isEmpty, added.contains(table) { return true }
    return permissions.contains {
      guard $0.table == table, $0.row == nil || $0.row == row else { return false }
      guard let columns = $0.columns else { return true }
      return columns.contains(column)
        || $0.alsoEntityColumns && column.hasPrefix("Z")
          && column.dropFirst().first?.isNumber == true
    }
  }
}

/// Reads every value of a store in every way.
enum HostileReading {
  static func readAll(_ container: PersistentContainer) {
    let context = container.newBackgroundContext()
    for entity in container.model.entities {
      attempt { try read(entity, context) }
    }
    attempt {
      var request = FetchRequest<HostileModel.Book>()
      request.propertiesToFetch = [
        "title", "pages", "rank", "price", "weight", "isLent", "published", "isbn", "link", "blob",
        "author", "vehicle",
      ]
      _ = try context.fetchDictionaries(request)
      request.relationshipKeyPathsForPrefetching = ["author", "tags", "vehicle"]
      request.propertiesToFetch = []
      request.sortDescriptors = [SortDescriptor(\.published), SortDescriptor(\.title)]
      _ = try context.fetch(request).map(\.title)
    }
    attempt { _ = try container.history(after: nil).map(\.contextChanges) }
    attempt { _ = try container.currentHistoryToken() }
    attempt { _ = try container.orphanedExternalFiles() }
  }

  private static func attempt(_ body: () throws -> Void) {
    do { try body() } catch { _ = "\(error)" }
  }

  private static func read(_ entity: EntityDescription, _ context: ManagedObjectContext) throws {
    for object in try context.fetch(entityNamed: entity.name) {
      _ = object.objectID.uri
      for attribute in object.entity.attributes {
        attempt { _ = try object.value(forKey: attribute.name) }
      }
      for relationship in object.entity.relationships {
        attempt {
          if relationship.isToMany {
            for member in try object.objects(forKey: relationship.name) { try member.load() }
          } else {
            _ = try object.value(forKey: relationship.name)
          }
        }
      }
    }
  }
}
