// SPDX-License-Identifier: Apache-2.0

/// The work that explaining statements may take: VM steps and copied bytes, since no clock decides a report.
///
/// Explainers that share one spend it together.
public final class PlanBudget {
  /// The bytes of databases that may still be copied.
  var copiedBytes: Int64
  /// The VM steps that runs of statements may still take.
  var steps: Int
  /// The statements that may be explained.
  public let statements: Int
  /// Whether something was left out.
  public internal(set) var isExhausted = false

  init(copiedBytes: Int64, steps: Int, statements: Int = .max) {
    (self.copiedBytes, self.steps, self.statements) = (copiedBytes, steps, statements)
  }

  /// The budget of a command for which a database was named: 64 MB are copied in a tenth of a second, and ten
  /// million VM steps scan a table of a million rows, in a fifth of a second.
  static var ofCommand: PlanBudget { PlanBudget(copiedBytes: 256_000_000, steps: 600_000_000) }

  /// The budget of a report that opens databases that no option names: some two seconds on an ordinary machine.
  public static var ofReport: PlanBudget {
    PlanBudget(copiedBytes: 128_000_000, steps: 60_000_000, statements: 500)
  }
}
