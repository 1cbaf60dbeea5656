// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Checks a workload for one kind of problem.
///
/// A rule returns values; the tool decides what fails a build and how findings are printed.
public protocol Rule: Sendable {
  /// The text for `explain` and Documentation/Rules.md.
  static var explanation: RuleExplanation { get }

  /// Returns the violations of the rule.
  func check(_ workload: Workload) -> [Finding]
}

extension Rule {
  /// The rule's name: its type's.
  public static var name: String { "\(Self.self)" }
}

/// The rules of this version, one per file.
public enum Rules {
  /// All rules.
  public static let all: [any Rule] = [
    AvoidFullTableScan(), AvoidCostlySearch(), AvoidScanInCorrelatedSubquery(),
    UnindexedStringSearch(),
    UseIndexForSort(), UseStoredSortKey(), AvoidAutomaticIndex(), WriteCheapTermsFirst(),
    AvoidQueryInLoop(), AvoidTextIndexCommandInLoop(), AvoidFaultStorm(),
    AvoidRelationshipFaultStorm(),
    AvoidWholeRelationship(), AvoidRepeatedFetch(), LimitFetch(),
    AvoidDeepOffset(), KeepBatchSize(), AvoidLargeColumnInList(), AvoidLockWait(), AvoidSlowSave(),
    AvoidCheckpointStall(), DropDuplicateIndex(), DropRedundantIndex(), DropUnusedIndex(),
    KeepStatistics(), UseBeginImmediate(), SetBusyTimeout(), AvoidIdleWriter(),
    ReturnConnection(), EndReadTransaction(), GroupWrites(), HandleBusy(), ResetStatement(),
    BindParameters(), RespectLimits(),
    HandleCorruption(), OneSQLitePerProcess(), OneNamePerDatabase(), KeepDatabaseLocal(),
    DoNotOpenDatabaseFile(), KeepWriteAheadLog(), DoNotUseAfterFork(), UpgradeSQLite(),
    KeepDurableSettings(),
    AllowLogReset(), AvoidForeignCheckpoint(), AvoidSyncForFewRows(), AvoidFrequentCheckpoint(),
  ]

  /// Finds a rule by its name, in any case.
  public static func named(_ name: String) -> (any Rule)? {
    all.first { type(of: $0).name.lowercased() == name.lowercased() }
  }
}

extension Profile {
  /// The findings of all rules without a database: warnings first, then by their cost.
  public var findings: [Finding] { Workload(self).findings }
}

extension JudgedStatement {
  /// ` on average` where the counts of the runs differ.
  func averageText(_ sum: KeyPath<StatementCounts, UInt64>) -> String {
    averageText(profile.work[keyPath: sum])
  }

  func averageText(_ sum: UInt64) -> String {
    profile.work.count > 1 && !sum.isMultiple(of: profile.work.count) ? " on average" : ""
  }

  /// ` (20 runs)`, ` (20 runs on 'old.db')`, or ` (20 runs of 20 statements that differ in their values)`.
  var runsText: String {
    let databaseText = database.map { " on '\($0)'" } ?? ""
    let runs = profile.work.count.counted("run") + databaseText
    return texts > 1
      ? " (\(runs) of \(texts) statements that differ in their values)" : " (\(runs))"
  }
}

extension StatementProfile {
  /// The line that spent most time on it.
  var mainCaller: SourceLocation { callers.first?.location ?? .unknown }

  /// ` (20 runs)`.
  var runsText: String {
    " (\(work.count.counted("run")))"
  }
}

extension Double {
  /// The nearest whole number, its digits in groups of three.
  var wholeText: String { UInt64(exactly: rounded())?.grouped ?? "\(self)" }
}

extension Int64 {
  /// A time in nanoseconds as milliseconds: `0.35 ms`, `12 ms`, `1,204 ms`.
  var millisecondsText: String {
    let hundredths = UInt64(clamping: self / 10_000 + (self % 10_000 >= 5000 ? 1 : 0))
    guard hundredths < 1000 else { return "\(((hundredths + 50) / 100).grouped) ms" }
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
  }
}
