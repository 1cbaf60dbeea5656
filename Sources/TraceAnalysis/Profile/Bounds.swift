// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
import TraceReading

/// The limits of separate counts, which keep a report small.
///
/// All are arbitrary, and far above the number that a user reads.
public enum Bounds {
  static let statements = 20_000
  /// Bytes of all SQL texts together.
  static let texts = 64 << 20
  /// Bytes of the recorded values of all statements together.
  static let values = 64 << 20
  static let faults = 10_000
  /// The callers of one statement, and of all saves.
  static let callers = 1000
  static let contexts = 20_000
  static let stores = 1000
  static let processes = 10_000
  /// Rows of forms by where they ran, before the rest are one row.
  public static let forms = 50_000
  static let tests = 100_000
  /// The statements of all tests together.
  static let formsOfTests = 1_000_000
  /// Statements with their values, of which the first run in a process is known.
  static let lookups = 500_000
  /// Forms that the row of the rest names, so that they are counted once over many hosts.
  static let otherForms = 100_000

  /// What a second separates is no loop: a user's clicks and saves, or measurements from time to time.
  static let pause: Nanoseconds = 1_000_000_000

  /// No hash of a text: FNV-1a of none is another number.
  static let restOfStatements = StatementID(rawValue: 0)
  static let restOfFaults = FaultProfile.Origin(
    entity: "other entities", relationship: "", location: .unknown)
}

/// The SQL texts of a trace, each kept once, in bounded memory.
public struct StatementTexts {
  private var texts: [StatementID: String] = [:]
  private var byteCount = 0
  /// Whether some were left out.
  public private(set) var isFull = false
  /// The number of texts with a hash other than their statement's id.
  public private(set) var damaged: UInt64 = 0

  /// Makes an empty table.
  public init() {}

  /// The text of a statement, if it was announced.
  public subscript(id: StatementID) -> String? { texts[id] }

  /// The texts of statements that are not among some, in their order.
  func texts(without ids: Set<StatementID>) -> [String] {
    texts.filter { !ids.contains($0.key) }.values.sorted()
  }

  /// Stores the text of a statement that is announced for the first time.
  public mutating func add(_ statement: StatementAnnounced) {
    guard texts[statement.statementID] == nil else { return }
    guard statement.hasWholeText else { return damaged.add(1) }
    guard texts.count <= Bounds.statements, byteCount <= Bounds.texts else {
      isFull = true
      return
    }
    texts[statement.statementID] = statement.sql
    byteCount += statement.sql.utf8.count
  }
}

extension StatementAnnounced {
  /// Whether the text is that which was hashed; a tracepoint writes a NUL as `\\u{0}`.
  fileprivate var hasWholeText: Bool {
    StatementID(sql: sql) == statementID
      || (sql.contains("\\u{0}")
        && StatementID(sql: sql.replacing("\\u{0}", with: "\0")) == statementID)
  }
}

extension ProfileBuilder {
  /// Adds the remarks on counts beyond the limits to the first source.
  func bounded(_ reading: ReadingReport) -> ReadingReport {
    var sentences: [String] = []
    if statements.isFull {
      sentences.append(
        "there are more than \(UInt64(Bounds.statements).grouped) distinct statements; the rest are counted "
          + "together, as statement \(Bounds.restOfStatements), and no rule judges them; bind values "
          + "instead of writing them into the SQL")
    } else if texts.isFull {
      sentences.append(
        "the statements are longer than \(Bounds.texts >> 20) MiB together; the texts of the rest "
          + "are left out")
    }
    if texts.damaged > 0 {
      sentences.append(
        "\(texts.damaged.counted("text")) of statements were changed after they were written")
    }
    var remarks = [observed.callers.remark, observed.callers.helperRemark].compactMap(\.self)
    if contexts.isFull {
      // No sum depends on it.
      remarks.append(
        "there are more than \(UInt64(Bounds.contexts).grouped) contexts; the rest are counted together, as "
          + "context 0")
    }
    if Set(reading.sources.map { $0.labels ?? [:] }).count > 1 {
      remarks.append(
        "the inputs have different labels, which are left out here; to add up by label: trace-report "
          + "merge")
    }
    if processes.isFull {
      sentences.append(
        "there are more than \(UInt64(Bounds.processes).grouped) processes; the rest are counted together, without "
          + "a look for gaps")
    }
    if observed.tests.isFull {
      sentences.append(
        "there are more than \(UInt64(Bounds.tests).grouped) tests, or more than "
          + "\(UInt64(Bounds.formsOfTests).grouped) statements in them; the rest are not compared")
    }
    if faults.isFull || saves.isFull || statements.values.contains(where: { $0.callers.isFull }) {
      sentences.append(
        "there are more than \(UInt64(Bounds.callers).grouped) callers of one kind; the rest are counted together, "
          + "as unknown")
    }
    guard !(sentences.isEmpty && remarks.isEmpty), !reading.sources.isEmpty else { return reading }
    var reading = reading
    reading.sources[0].problems += sentences
    reading.sources[0].remarks += remarks
    return reading
  }
}
