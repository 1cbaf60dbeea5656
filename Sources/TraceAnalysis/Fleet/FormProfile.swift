// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents

/// The runs of one form of statement from one origin: counts that add up over hosts, versions and
/// days.
///
/// A form is a statement without its values, see `SQLFingerprint`.
public struct FormProfile: Hashable, Sendable, Codable {
  /// The hash of the form's text; 0 for the row of all forms beyond the limit.
  public var form: StatementID
  /// The text without values; nil where it is unknown, and in the row of the others.
  public var sql: String?
  /// The steps of the plan, joined by "; "; nil where no database was given.
  public var plan: String?
  /// The origin of the runs.
  public var origin: OriginProfile
  /// The counts and times of the runs.
  public var work = StatementCounts()
  /// Runs that faults caused.
  public var misses: UInt64 = 0
  /// The distribution of the runs' times.
  public var latency = Latency()
  /// The forms that the row of the others holds, sorted.
  public var others: [StatementID]?

  /// Whether this is the row of all forms beyond the limit.
  public var isRest: Bool { form == Bounds.restOfStatements }

  /// The text for a reader; the row of the others with the number of forms in it.
  public var title: String {
    if isRest { return "other (\(others.map { "\(UInt64($0.count).grouped) " } ?? "")forms)" }
    return sql ?? "form \(form)"
  }

  var sortKey: String { "\(form) \(plan ?? "") \(origin.sortKey)" }
}

extension FormProfile {
  /// The hash of a statement's form.
  public static func form(ofStatement id: StatementID, sql: String?) -> StatementID {
    Self(statement: id, sql: sql, origin: OriginProfile()).form
  }

  /// A statement's form; a statement without a text is its own form.
  init(statement id: StatementID, sql: String?, origin: OriginProfile) {
    guard id != Bounds.restOfStatements else {
      self.init(form: id, sql: nil, origin: OriginProfile())
      return
    }
    let fingerprint = SQLFingerprint(sql: sql ?? "unknown_\(id)").description
    self.init(
      form: StatementID(sql: fingerprint), sql: sql == nil ? nil : fingerprint, origin: origin)
  }

  private struct Key: Hashable {
    var form: StatementID
    var plan: String?
    var origin: OriginProfile
  }

  static let sums = Sums<Self, Self>(\.work, \.misses, \.latency)

  private mutating func add(_ other: Self) {
    sql = sql ?? other.sql
    Self.sums.add(other, to: &self)
    if let more = other.others {
      others = Array(
        Set((others ?? []) + more).sorted { $0.rawValue < $1.rawValue }
          .prefix(Bounds.otherForms))
    }
  }

  /// Each row once, by total time; of more than `limit` the last ones are one row.
  static func merged(_ rows: [FormProfile], limit: Int) -> [FormProfile] {
    let merged = rows.merged(by: { Key(form: $0.form, plan: $0.plan, origin: $0.origin) }) {
      $0.add($1)
    }
    let kept = merged.filter { !$0.isRest }
      .sorted(by: { $0.work.totalTime }, then: \.sortKey)
    var rest = merged.filter(\.isRest)
    rest += kept.dropFirst(limit).map { row in
      var other = row
      other.form = Bounds.restOfStatements
      (other.sql, other.plan, other.origin) = (nil, nil, OriginProfile())
      other.others = [row.form]
      return other
    }
    guard var sum = rest.first else { return kept }
    for row in rest.dropFirst() { sum.add(row) }
    return kept.prefix(limit) + [sum]
  }
}

extension Profile {
  /// The statements by form and by where they ran, by total time.
  public var formRows: [FormProfile] {
    if let forms { return forms }
    let rows = statements.map { statement in
      var row = FormProfile(
        statement: statement.id, sql: statement.sql, origin: origin ?? OriginProfile())
      row.work = statement.work
      row.misses = statement.misses
      row.latency = statement.latency
      return row
    }
    return FormProfile.merged(rows, limit: .max)
  }

  /// Sets the plan of each form, for the database at a path.
  ///
  /// - Parameters:
  ///   - database: the path.
  ///   - plan: returns the plan of a statement, or nil if there is none.
  public mutating func setPlans(database: String, _ plan: (StatementProfile) -> String?) {
    var plans: [StatementID: String] = [:]
    for group in statementGroups.values {
      let form = FormProfile(
        statement: group.statement.id, sql: group.statement.sql, origin: OriginProfile()
      ).form
      plans[form] = plan(group.statement)
    }
    let name = database.split(separator: "/").last
    let isOnly = Set(formRows.map(\.origin.database)).count == 1
    let rows = formRows.map { row in
      guard isOnly || row.origin.database.split(separator: "/").last == name, row.plan == nil
      else { return row }
      var row = row
      row.plan = plans[row.form]
      return row
    }
    forms = rows
  }
}
