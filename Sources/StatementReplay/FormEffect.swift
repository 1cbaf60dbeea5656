// SPDX-License-Identifier: Apache-2.0

public import QueryPlans

/// What a change did to the statements of one form.
public struct FormEffect: Sendable {
  public var form: SQLFingerprint
  public var before = ReplayWork()
  public var after = ReplayWork()
  /// The steps of the plan at its first run, and with the change, where they differ.
  public var plans: (before: [String], after: [String])?
  /// Runs that returned or changed other rows with the change, or failed with it alone.
  public var differences: UInt64 = 0
  /// SQLite's message of the first run that failed with the change alone; it may contain values.
  public var message = ""
  var ratios = RatioSample()

  /// The time with the change as a multiple of the time without it; nil for few runs.
  public var timeRatio: PairedRatio? { ratios.interval }

  /// Whether it has another result, or another plan with twice the VM steps.
  ///
  /// The upkeep of an index costs less, and changes no plan.
  public var isWorse: Bool {
    differences > 0 || plans != nil && after.vmSteps >= 2 * max(before.vmSteps, 1)
  }
}

/// A sample of the ratios of pairs, in bounded memory.
struct RatioSample {
  // Arbitrary: more do not make the interval of a median noticeably narrower.
  private static let size = 1000
  private var ratios: [Double] = []
  private var count: UInt64 = 0
  private var random: UInt64 = 1

  mutating func add(_ ratio: Double) {
    count += 1
    if ratios.count < Self.size { return ratios.append(ratio) }
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let slot = (random >> 33) % count
    if slot < Self.size { ratios[Int(slot)] = ratio }
  }

  var interval: PairedRatio? { PairedRatio(ratios: ratios) }
}

/// The ratio of the total time, from consecutive parts of the trace of equal numbers of runs.
struct TotalRatio {
  private static let parts = 32
  private var sums: [(before: UInt64, after: UInt64)] = []
  private var runsOfPart: UInt64 = 1
  private var runs: UInt64 = 0

  mutating func add(before: UInt64, after: UInt64) {
    if runs % runsOfPart == 0 {
      if sums.count == 2 * Self.parts {
        sums = stride(from: 0, to: sums.count, by: 2).map {
          (sums[$0].before + sums[$0 + 1].before, sums[$0].after + sums[$0 + 1].after)
        }
        runsOfPart *= 2
      }
      sums.append((0, 0))
    }
    runs += 1
    sums[sums.count - 1].before += before
    sums[sums.count - 1].after += after
  }

  var interval: PairedRatio? {
    PairedRatio(ratios: sums.map { Double($0.after) / Double(max($0.before, 1)) })
  }
}
