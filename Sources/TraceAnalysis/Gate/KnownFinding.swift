// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A warning by which a later run is compared: by its rule, its statement's shape, its file and its function; a line
/// moves with each change above it.
public struct KnownFinding: Codable, Hashable, Sendable {
  /// The rule's name.
  public var rule: String
  /// The form of its statement; nil for a finding on a schema.
  public var sql: String?
  /// The file of the line to look at; nil where it is unknown.
  public var file: String?
  /// The function of that line; nil where it is unknown, and in older baselines.
  public var function: String?
  /// The index, table or column; nil of a statement.
  public var object: String?

  /// The properties that a finding of another run shares with it.
  struct Key: Hashable {
    var rule: String
    var shape: String
    var file: String?
    var object: String?
  }

  var key: Key {
    Key(
      rule: rule, shape: sql.map { StatementShape(sql: $0).description } ?? "", file: file,
      object: object)
  }

  init(_ finding: Finding, sql: String?, function: String? = nil) {
    rule = finding.rule
    self.sql = sql.map { SQLFingerprint(sql: $0).description }
    file = finding.caller.file.isEmpty ? nil : finding.caller.file
    self.function = function
    object = finding.object.isEmpty ? nil : finding.object
  }

  /// The warnings that counts of the program's own statements prove, in one order.
  static func warnings(of findings: [Finding], in profile: Profile) -> [KnownFinding] {
    Set(gating(findings, in: profile).map(\.known)).sorted {
      ($0.rule, $0.file ?? "", $0.function ?? "", $0.sql ?? "", $0.object ?? "")
        < ($1.rule, $1.file ?? "", $1.function ?? "", $1.sql ?? "", $1.object ?? "")
    }
  }

  /// The warnings that do not depend on clocks or on other processes, outside of files of tests.
  static func gating(
    _ findings: [Finding], in profile: Profile
  ) -> [(finding: Finding, known: KnownFinding)] {
    let texts = Dictionary(
      profile.statements.map { ($0.id, $0.sql) }, uniquingKeysWith: { first, _ in first })
    let files = filesOfTests(in: profile)
    let functions = profile.functions
    return findings.filter { finding in
      finding.severity == .warning && !ofClocks.contains(finding.rule)
        && !files.contains { isSame(finding.caller.file, $0) }
    }.map {
      (
        $0,
        KnownFinding(
          $0, sql: $0.statement.flatMap { texts[$0] ?? nil }, function: functions[$0.caller])
      )
    }
  }

  /// The rules on waits, which another run of the same program may not have.
  private static let ofClocks: Set = [
    AvoidLockWait.name, AvoidSlowSave.name, AvoidCheckpointStall.name, AvoidIdleWriter.name,
    EndReadTransaction.name, HandleBusy.name, AllowLogReset.name, AvoidForeignCheckpoint.name,
    AvoidFrequentCheckpoint.name, ReturnConnection.name, SetBusyTimeout.name,
    UseBeginImmediate.name,
  ]

  /// `tests/test_app.py::test_list` names the file of the test; fixtures are in `conftest.py`.
  private static func filesOfTests(in profile: Profile) -> Set<String> {
    let names = (profile.observed?.tests ?? []).map(\.name)
    guard !names.isEmpty else { return [] }
    return Set(
      names.compactMap { name in name.split(separator: ":", maxSplits: 1).first.map(String.init) }
    )
    .union(["conftest.py"])
  }

  private static func isSame(_ file: String, _ test: String) -> Bool {
    file == test || file.hasSuffix("/" + test) || test.hasSuffix("/" + file)
  }
}
