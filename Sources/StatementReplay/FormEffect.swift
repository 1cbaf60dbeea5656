// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
import StoreEvents

/// What a change did to the statements of one form.
public struct FormEffect: Sendable {
  public var form: SQLFingerprint
  /// How many forms came before it.
  var index: UInt64
  public var before = ReplayWork()
  public var after = ReplayWork()
  /// The steps of the plan at its first run, and with the change, where they differ.
  public var plans: (before: [String], after: [String])?
  /// Runs that returned or changed other rows with the change, or failed with it alone.
  public var differences: UInt64 = 0
  /// SQLite's message of the first run that failed with the change alone; it may contain values.
  public var message = ""
  var times = PairedTimes()
  /// The time of its runs in the program.
  var recordedTime: UInt64 = 0

  /// The time with the change as a multiple of the time without it; nil for few runs.
  public var timeRatio: TimeRatio? { TimeRatio(of: [(1, times)]) }

  /// Whether it has another result, or another plan with twice the VM steps.
  ///
  /// The upkeep of an index costs less, and changes no plan.
  public var isWorse: Bool {
    differences > 0 || plans != nil && after.vmSteps >= 2 * max(before.vmSteps, 1)
  }
}
