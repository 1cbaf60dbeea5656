// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The statements by where they ran, while they are being counted.
///
/// While all of them have one origin, no second sums are kept: the origin is recorded, and the
/// statements' sums apply.
struct FormTable {
  struct Key: TallyKey {
    var statement: StatementID
    var origin: Int
    var mixed: UInt64 { statement.rawValue ^ UInt64(truncatingIfNeeded: origin) << 48 }
  }

  private struct Tally {
    /// The sums that were counted before a second origin was seen.
    var before: FormProfile?
    var tally = CallerTally()
  }

  /// Nil before the first run, and after the second origin.
  private(set) var onlyOrigin: Int?
  private var tallies: TallyTable<Key, Tally>?
  private var others: Set<StatementID> = []

  /// Whether the sums of the statements so far must be copied before a run of an origin is counted.
  mutating func isSecond(_ origin: Int) -> Bool {
    guard tallies == nil, let onlyOrigin else {
      if tallies == nil { onlyOrigin = origin }
      return false
    }
    return onlyOrigin != origin
  }

  mutating func start(from rows: [(StatementID, FormProfile)]) {
    var table = TallyTable<Key, Tally>(
      capacity: Bounds.forms, rest: Key(statement: Bounds.restOfStatements, origin: 0))
    for (statement, row) in rows {
      table.update(Key(statement: statement, origin: onlyOrigin ?? 0), make: { Tally() }) {
        $0.before = row
      }
    }
    tallies = table
    onlyOrigin = nil
  }

  mutating func add(_ statement: StatementID, _ origin: Int, _ add: (inout CallerTally) -> Void) {
    guard tallies != nil else { return }
    let key = Key(statement: statement, origin: statement == Bounds.restOfStatements ? 0 : origin)
    if tallies?.count ?? 0 >= Bounds.forms, tallies?[key] == nil,
      others.count < Bounds.otherForms
    {
      others.insert(statement)
    }
    tallies?.update(key, make: { Tally() }) { add(&$0.tally) }
  }

  /// The rows; nil if there was one origin.
  func finish(
    _ origins: OriginTable, _ texts: StatementTexts, labels: [String: String]
  ) -> [FormProfile]? {
    guard let tallies else { return nil }
    var forms: [StatementID: FormProfile] = [:]
    func form(of statement: StatementID) -> FormProfile {
      if let known = forms[statement] { return known }
      let form = FormProfile(
        statement: statement, sql: texts[statement], origin: OriginProfile())
      forms[statement] = form
      return form
    }
    let rows = zip(tallies.keys, tallies.values).map { key, tally in
      var row = form(of: key.statement)
      if row.isRest {
        row.others = Set(others.map { form(of: $0).form }).sorted { $0.rawValue < $1.rawValue }
      } else {
        row.origin = origins.origin(key.origin)?.labelled(labels) ?? OriginProfile()
      }
      let counted = tally.tally.finished(at: .unknown)
      (row.work, row.misses, row.latency) = (counted.work, counted.misses, counted.latency)
      if let before = tally.before { FormProfile.sums.add(before, to: &row) }
      return row
    }
    return FormProfile.merged(rows, limit: Bounds.forms)
  }
}

extension ProfileBuilder {
  /// The origin of a context's store.
  mutating func origin(ofContext context: Key) -> Int {
    origins.index(
      ofContext: context, host: processes.profiles[context.process].identity.host)
  }

  /// Counts a run for where it ran; call it before the run is counted for its statement.
  mutating func addForm(
    _ statement: StatementID, from origin: Int, _ add: (inout CallerTally) -> Void
  ) {
    if forms.isSecond(origin) {
      forms.start(
        from: zip(statements.keys, statements.values).map { id, tally in
          let statement = tally.finished(id: id, sql: nil)
          var row = FormProfile(form: id, sql: nil, origin: OriginProfile())
          (row.work, row.misses) = (statement.work, statement.misses)
          row.latency = statement.latency
          return (id, row)
        })
    }
    forms.add(statement, origin, add)
  }
}
