// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// An object-relational mapper, recognized by its spelling of SQL in the language of the line that runs it.
///
///     SELECT "shop_book"."id" FROM "shop_book"      -- Django
///     SELECT book.id ⏎FROM book                     -- SQLAlchemy
///     SELECT "t1"."id" FROM "book" AS "t1"          -- Peewee
///     SELECT "books".* FROM "books"                 -- ActiveRecord
///     SELECT t0.id AS id_1 FROM book t0             -- Doctrine
///     select * from "books" where "books"."id" = ?  -- Eloquent
///     SELECT * FROM "book" WHERE "id" = ?           -- GRDB
enum Framework: Hashable, CaseIterable {
  case django, sqlAlchemy, peewee, activeRecord, doctrine, eloquent, grdb

  /// - Parameter file: the file of the line; "" in a log without lines.
  init?(sql: String, file: String) {
    guard sql.prefix(7).lowercased() == "select " else { return nil }
    let language = Self.language(of: file)
    let found = Self.allCases.first { framework in
      (language.isEmpty && framework.hasLog || framework.language == language)
        && framework.spells(sql)
    }
    guard let found else { return nil }
    self = found
  }

  private static func language(of file: String) -> String {
    let suffix = file.lastIndex(of: ".").map { String(file[file.index(after: $0)...]) } ?? ""
    return suffix == "erb" ? "rb" : suffix
  }

  fileprivate var language: String {
    switch self {
    case .django, .sqlAlchemy, .peewee: "py"
    case .activeRecord: "rb"
    case .doctrine, .eloquent: "php"
    case .grdb: "swift"
    }
  }

  /// Whether its log is an input, which may be without lines.
  private var hasLog: Bool { [.django, .sqlAlchemy, .activeRecord].contains(self) }

  fileprivate var quotesNames: Bool { self != .sqlAlchemy && self != .doctrine }

  private func spells(_ sql: String) -> Bool {
    var result = sql.dropFirst(7)
    if result.hasPrefix("DISTINCT ") { result = result.dropFirst(9) }
    let first = result.first == "\"" ? result.dropFirst().prefix { $0 != "\"" } : ""
    let rest = first.isEmpty ? result : result.dropFirst(first.count + 2)
    switch self {
    // Its tables have the application's name in front; tables of other libraries rarely do.
    case .django:
      return rest.hasPrefix(".\"") && first.contains("_")
        || ["COUNT(*) AS \"__count\" FROM ", "1 AS \"a\" FROM "].contains(where: result.hasPrefix)
    case .sqlAlchemy: return sql.contains(" \nFROM ")
    case .peewee: return sql.contains(" AS \"t1\"")
    case .activeRecord:
      return !first.isEmpty && rest.hasPrefix(".*") || result.hasPrefix("1 AS one FROM \"")
        || result.hasPrefix("COUNT(*) FROM \"")
    case .doctrine:
      return sql.firstMatch(of: /^SELECT (DISTINCT )?[a-z]+\d+_?\.\w+ AS \w+_\d+/) != nil
    case .eloquent: return sql.hasPrefix("select ") && sql.contains(" from \"")
    case .grdb: return result.hasPrefix("* FROM \"") || !first.isEmpty && rest.hasPrefix(".*")
    }
  }
}

/// The frameworks of the statements of a run.
struct Frameworks {
  /// By language, in which a program may use several.
  private var all: [String: Set<Framework>] = [:]

  init(_ profile: Profile) {
    for statement in profile.statements {
      guard let sql = statement.sql else { continue }
      for location in Set(statement.callers.map(\.location) + [statement.mainCaller]) {
        guard let framework = Framework(sql: sql, file: location.file) else { continue }
        all[framework.language, default: []].insert(framework)
      }
    }
  }

  /// That of a statement at a line.
  ///
  /// A write, which many libraries spell alike, is of the only framework of its language if it has its quotes.
  func framework(of sql: String, at location: SourceLocation) -> Framework? {
    guard !all.isEmpty else { return nil }
    let command = StatementCommand.name(of: sql)
    if command == "SELECT" { return Framework(sql: sql, file: location.file) }
    let candidates = all.values.filter { frameworks in
      location.file.isEmpty
        ? all.count == 1 : location.file.hasSuffix("." + (frameworks.first?.language ?? ""))
    }.flatMap { $0 }
    guard candidates.count == 1, let only = candidates.first else { return nil }
    guard ["INSERT", "UPDATE", "DELETE"].contains(command) else { return only }
    return only.quotesNames == sql.prefix(40).contains("\"") ? only : nil
  }
}
