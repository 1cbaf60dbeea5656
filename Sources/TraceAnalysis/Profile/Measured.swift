// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
import TraceReading

/// Counts and times of which the input may not have all.
///
///     work.known(\.vmSteps)     // nil for statements of Core Data's log
public protocol Measured {
  /// The counts and times that the input has.
  var measures: Measures { get }

  /// The measure of a property, or none for a property that every input has.
  static func measure(of path: PartialKeyPath<Self>) -> Measures
}

extension Measured {
  /// A count or a time; nil where no input measured it, so that 0 would be an invention.
  public func known<Value: FixedWidthInteger>(_ path: KeyPath<Self, Value>) -> Value? {
    let value = self[keyPath: path]
    return value != 0 || measures.contains(Self.measure(of: path)) ? value : nil
  }
}

extension Measures? {
  /// The measures of two parts together.
  static func + (a: Self, b: Self) -> Self { a.map { $0.union(b ?? []) } ?? b }
}

extension StatementCounts: Measured {
  public var measures: Measures {
    if let measured { return measured }
    // A report of an older version: a run that returned takes a VM step at least.
    return vmSteps > 0 || count <= errors ? .all : .coreData
  }

  public static func measure(of path: PartialKeyPath<Self>) -> Measures {
    switch path {
    case \Self.rows: .rows
    case \Self.totalTime: .totalTime
    default: WorkMetric.all.first { $0.work.path == path }?.measure ?? []
    }
  }

  /// A sum of the work per run; nil where no input measured it.
  public func knownPerRun(_ sum: KeyPath<StatementCounts, UInt64>) -> Double? {
    known(sum).map { _ in perRun(sum) }
  }
}

extension SaveProfile: Measured {
  public var measures: Measures { measured ?? .all }

  public static func measure(of path: PartialKeyPath<Self>) -> Measures {
    switch path {
    case \Self.waitTime: .waitTime
    case \Self.writeTime, \Self.commitTime: .commitTime
    case \Self.totalTime: .saveTime
    default: []
    }
  }
}

extension FaultProfile: Measured {
  public var measures: Measures { measured ?? .all }

  public static func measure(of path: PartialKeyPath<Self>) -> Measures {
    switch path {
    case \Self.hits, \Self.hitTime: .cacheHits
    case \Self.rows: .rows
    case \Self.missTime: .totalTime
    default: []
    }
  }
}

extension EntityProfile: Measured {
  public var measures: Measures { measured ?? .all }

  public static func measure(of path: PartialKeyPath<Self>) -> Measures {
    switch path {
    case \Self.rows: .rows
    case \Self.faults: .faults
    case \Self.cacheMisses: .cacheMisses
    case \Self.totalTime: .totalTime
    default: []
    }
  }

  /// The part of its faults that the row cache answered; nil without faults, and where the input has
  /// only misses.
  public var hitRatio: Double? {
    guard faults > 0, measures.contains(.cacheHits) else { return nil }
    return Double(faults - min(cacheMisses, faults)) / Double(faults)
  }
}

extension Profile: Measured {
  public var measures: Measures {
    if let measured { return measured.subtracting(unmeasured) }
    // A report of an older version.
    if reading.sources.allSatisfy({ $0.kind == .coreDataLog }) {
      return reading.sources.isEmpty ? [] : .coreData
    }
    return observed == nil || totals.isFromStore ? .all : .run
  }

  /// Measures of some input, which none of the inputs with faults or saves has.
  private var unmeasured: Measures {
    let hasHits = faults.isEmpty || faults.contains { $0.measures.contains(.cacheHits) }
    let hasTimes = saves.isEmpty || saves.contains { $0.measures.contains(.saveTime) }
    let hits: Measures = hasHits ? [] : .cacheHits
    return hasTimes ? hits : hits.union(.saveTime)
  }

  public static func measure(of path: PartialKeyPath<Self>) -> Measures {
    switch path {
    case \Self.totals.fetches, \Self.totals.counts, \Self.totals.nestedFetches: .fetches
    case \Self.totals.rows: [.fetches, .rows]
    case \Self.totals.faults, \Self.totals.relationshipFaults: .faults
    case \Self.totals.cacheHits: .cacheHits
    case \Self.totals.cacheMisses: .cacheMisses
    case \Self.totals.faultTime: [.cacheMisses, .totalTime]
    case \Self.totals.saves: .saves
    case \Self.totals.saveTime: .saveTime
    case \Self.totals.connectionTime: .connectionTime
    case \Self.totals.totalTime: .totalTime
    case \Self.waits.commits, \Self.waits.rollbacks: .commits
    case \Self.waits.busyWaits, \Self.waits.busyFailures, \Self.waits.busyTime,
      \Self.waits.longestBusy:
      .lockWaits
    case \Self.waits.checkpoints, \Self.waits.checkpointedFrames, \Self.waits.checkpointTime,
      \Self.waits.largestLog:
      .checkpoints
    default: []
    }
  }
}

extension Profile {
  /// The evidence of a finding, without counts that the input of its statement does not have.
  public func evidence(of finding: Finding) -> [Finding.Evidence] {
    guard let work = finding.statement.flatMap({ statement($0) })?.work else {
      return finding.evidence
    }
    let unknown = Measures.all.subtracting(work.measures).names
    return finding.evidence.filter { $0.value != 0 || !unknown.contains($0.name) }
  }
}
