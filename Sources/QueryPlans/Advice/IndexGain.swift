// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Indexes that were made on a copy of the database, and the steps that they saved a statement.
public struct IndexGain: Hashable, Sendable {
  /// The indexes that the plan used.
  public var indexes: [IndexCandidate]
  /// The VM steps of a run with the indexes of the database.
  public var before: UInt64
  /// The VM steps of a run with the new ones as well.
  public var after: UInt64
  /// Whether pages are counted instead: `count(*)` reads each in no VM step.
  public var isOfPages = false

  /// Whether a text has the SQL of all of them, under whatever name.
  public func isNamed(in text: String) -> Bool {
    indexes.allSatisfy { index in
      let part = index.condition.map { " WHERE \($0)" } ?? ""
      return text.contains("ON \(SQLName.quotedIfNeeded(index.table)) (\(index.terms))\(part)")
    }
  }
}

extension StatementMeter.Trial {
  /// Whether a run reads enough rows to compare it with others: a database without the program's rows
  /// shows nothing.
  var isLarge: Bool {
    // A row that is read costs three VM steps at least.
    Double(measurement.work.vmSteps) >= 3 * ScanBound.minRows
      || Double(measurement.pages) >= ScanBound.minRows
  }

  var stepsPerRun: UInt64 {
    UInt64(exactly: measurement.work.perRun(\.vmSteps).rounded()) ?? measurement.work.vmSteps
  }

  var pagesPerRun: UInt64 { measurement.pages / max(measurement.work.executions, 1) }
}
