// SPDX-License-Identifier: Apache-2.0

import Glibc
public import QueryPlans
import StoreEvents

extension Profile {
  /// The conditions under which a database has the plans of the trace.
  public func planConditions(for path: String) -> PlanConditions {
    let isModified = isModifiedSince(path)
    var conditions = PlanConditions(
      sqliteVersion: sqliteVersion,
      mayHaveChanged: tracedPaths.count <= 1 && !changesPlans && isModified)
    conditions.attached = attachedDatabases
    conditions.temporaryTables = TemporaryTable.creations(in: allSQL)
    conditions.likeIsCaseSensitive = likeIsCaseSensitive
    let replaced = Set(openedFiles.filter { !$0.isStillThere }.map(\.path))
    conditions.isReplaced = { replaced.contains($0) }
    let own = tracedPaths.filter { $0.isSameFile(as: path) }
    conditions.isAsTraced = !own.isEmpty && !isModified
    conditions.changesTables = !own.isEmpty && changesTables
    if !own.isEmpty { conditions.ownDatabases = own }
    conditions.updates = {
      AdviceWorkload(self, on: own.isEmpty ? nil : own).writes
        .filter { $0.kind == .update && $0.columns != nil }
    }
    if tracedPaths.count > 1, !own.isEmpty {
      let databases = self.databases
      conditions.otherDatabase = { sql in
        guard let paths = databases[StatementID(sql: sql)], own.isDisjoint(with: paths) else {
          return nil
        }
        return paths.min()
      }
    }
    return conditions
  }

  /// The texts of all statements of the trace.
  var allSQL: [String] { statements.compactMap(\.sql) + (otherSQL ?? []) }

  private var tracedPaths: Set<String> { Set(stores.map(\.path)) }

  /// The databases of `ATTACH 'path' AS name`.
  private var attachedDatabases: [String: String] {
    allSQL.reduce(into: [:]) { attached, sql in
      guard let (path, name) = AttachedDatabase.parse(sql) else { return }
      attached[name] = path
    }
  }

  private var likeIsCaseSensitive: Bool {
    let values = allSQL.compactMap(LikeSetting.value)
    return !values.isEmpty && values.allSatisfy(\.self)
  }

  /// Whether a statement of the trace may change the plans of others.
  private var changesPlans: Bool {
    allSQL.contains { sql in
      let words = sql.uppercased().split { !$0.isLetter && $0 != "_" }
      return words.first == "CREATE" && words.prefix(3).contains("INDEX")
        || words.contains("CASE_SENSITIVE_LIKE")
    }
  }

  /// Whether a statement of the trace drops or alters a table, as migrations do.
  private var changesTables: Bool {
    allSQL.contains { sql in
      let words = sql.uppercased().split(maxSplits: 2) { !$0.isLetter }
      return words.first == "ALTER" || words.prefix(2) == ["DROP", "TABLE"]
    }
  }

  /// Whether a file was written after the last event: only then its schema can be newer than the trace.
  private func isModifiedSince(_ path: String) -> Bool {
    guard let last = processes.compactMap(\.lastEvent).max() else { return true }
    let times = [path, path + "-wal"].compactMap { path -> Int64? in
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }
    return times.max().map { $0 >= last } ?? true
  }
}

extension String {
  /// Whether two paths are of one file, or of a file and its copy.
  fileprivate func isSameFile(as other: String) -> Bool {
    var (a, b) = (stat(), stat())
    if stat(self, &a) == 0, stat(other, &b) == 0 {
      return a.st_dev == b.st_dev && a.st_ino == b.st_ino
    }
    return split(separator: "/").last == other.split(separator: "/").last
  }
}
