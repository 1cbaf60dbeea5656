// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Finds the warnings of a run that the baseline's run did not have.
///
/// A warning at a renamed function or file, or for an edited statement, is not new. As long as the
/// baseline's warning is still there, the same statement in another function is.
struct FindingComparison {
  /// A function that ran statements.
  struct Function: Hashable {
    var file: String
    var name: String

    init(_ file: String, _ name: String) { (self.file, self.name) = (file, name) }
  }

  /// The indices of the new warnings.
  private(set) var new: [Int] = []

  /// - Parameters:
  ///   - known: the warnings of the baseline.
  ///   - now: the warnings of the run.
  ///   - functions: the functions that ran statements in the run.
  init(_ known: [KnownFinding], _ now: [KnownFinding], functions: Set<Function>) {
    let keys = Dictionary(grouping: known.map { ($0, $0.key) }, by: \.1)
    var gone = Set(known)
    for (index, finding) in now.enumerated() {
      let same = (keys[finding.key] ?? []).map(\.0).filter { $0.isAtFunction(of: finding) }
      if same.isEmpty { new.append(index) } else { gone.subtract(same) }
    }
    var left = known.filter(gone.contains)
    // One warning that was edited or moved is one: a second one is new.
    func removeChanged(_ isChanged: (_ old: KnownFinding, _ new: KnownFinding) -> Bool) {
      var changed: Set<KnownFinding> = []
      new.removeAll { index in
        if changed.contains(now[index]) { return true }
        guard
          let old = left.firstIndex(where: {
            $0.rule == now[index].rule && $0.object == now[index].object
              && isChanged($0, now[index])
          })
        else { return false }
        left.remove(at: old)
        changed.insert(now[index])
        return true
      }
    }
    removeChanged { old, new in
      old.function != nil && new.function != nil && old.file == new.file
        && old.isAtFunction(of: new) && old.tables == new.tables
    }
    removeChanged { old, new in
      guard let file = old.file else { return false }
      let isThere = functions.contains { function in
        function.file == file
          && old.function.map { CallerFunction.isSame($0, function.name) } ?? true
      }
      return !isThere && old.key == new.key(in: file)
    }
  }
}

extension KnownFinding {
  fileprivate func isAtFunction(of other: Self) -> Bool {
    guard let function, let others = other.function else { return true }
    return CallerFunction.isSame(function, others)
  }

  fileprivate var tables: Set<String> { sql.map { StatementClauses(sql: $0).tables } ?? [] }

  fileprivate func key(in file: String) -> Key {
    var key = key
    key.file = file
    return key
  }
}

extension Profile {
  /// The functions of the lines that ran statements.
  var functions: [SourceLocation: String] {
    named { $0.function.isEmpty ? nil : $0.function }
  }

  /// The helpers through which lines ran statements.
  var helpers: [SourceLocation: String] { named(\.helper) }

  private func named(_ name: (CallerFunction) -> String?) -> [SourceLocation: String] {
    Dictionary(
      (observed?.functions ?? []).compactMap { line in name(line).map { (line.location, $0) } },
      uniquingKeysWith: { first, _ in first })
  }
}
