// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The keys by which the work of a profile can be grouped.
public enum Grouping: String, CaseIterable, Hashable, Sendable {
  /// The key of the groups.
  case statement, entity, caller, context, process, host, database, version, sqlite
}

/// All that one entity, line of code, context or process did.
public struct GroupProfile: Hashable, Sendable {
  /// The name.
  public var name: String
  /// The counts and times of the runs.
  public var work = StatementCounts()
  /// The distribution of the runs' times.
  public var latency = Latency()
  /// Faults that were filled from the row cache.
  public var cacheHits: UInt64 = 0
  /// Faults that were read from the database.
  public var cacheMisses: UInt64 = 0
  /// The time that faults took.
  public var faultTime: Nanoseconds = 0
  /// Saves, failed ones included.
  public var saves: UInt64 = 0
  /// The time that saves took.
  public var saveTime: Nanoseconds = 0
  /// The measures of its fetches, faults and saves.
  var measured: Measures?

  /// Makes an empty group.
  public init(name: String) { self.name = name }

  /// The time of fetches, of faults without a fetch of their own, and of saves.
  public var totalTime: Nanoseconds { work.totalTime.saturatingSum(saveTime) }
}

extension GroupProfile: Measured {
  public var measures: Measures { measured + (work.count > 0 ? work.measures : nil) ?? .all }

  public static func measure(of path: PartialKeyPath<Self>) -> Measures {
    switch path {
    case \Self.totalTime: .totalTime
    case \Self.cacheHits: .cacheHits
    case \Self.cacheMisses: .cacheMisses
    case \Self.faultTime: [.cacheMisses, .totalTime]
    case \Self.saves: .saves
    case \Self.saveTime: .saveTime
    default: []
    }
  }
}

extension Profile {
  /// The work by the items of a grouping, such as its callers, longest first.
  public func groups(by grouping: Grouping) -> [GroupProfile] {
    var parts: [GroupProfile]
    switch grouping {
    case .statement: parts = statementGroups.values.map(GroupProfile.init)
    case .entity:
      parts =
        statements.map(GroupProfile.init(entityOf:))
        + faults.map { GroupProfile($0, name: $0.origin.entity) }
    case .caller:
      parts = statements.flatMap(\.callers).map(GroupProfile.init)
      parts += faults.map { GroupProfile($0, name: $0.origin.location.groupName) }
      parts += saves.map(GroupProfile.init)
    case .context:
      parts = contexts.map { GroupProfile($0, name: name(of: $0)) }
    case .process: parts = contexts.map { GroupProfile($0, name: name(of: $0.process)) }
    case .host: parts = formRows.map { GroupProfile($0, name: $0.origin.host) }
    case .database: parts = formRows.map { GroupProfile($0, name: $0.origin.database) }
    case .version: parts = formRows.map { GroupProfile($0, name: $0.origin.version) }
    case .sqlite: parts = formRows.map { GroupProfile($0, name: $0.origin.sqliteVersion) }
    }
    return Dictionary(grouping: parts, by: \.name).map(GroupProfile.merged)
      .sorted(by: \.totalTime, then: \.name)
  }

  private func name(of context: ContextProfile) -> String {
    let process = name(of: context.process)
    guard context.id != 0 else { return "\(process) without a context" }
    return "\(process) context \(context.id)\(context.name.isEmpty ? "" : " \(context.name)")"
  }

  func name(of process: Int) -> String {
    guard processes.indices.contains(process) else { return "unknown process" }
    return processes[process].identity.title
  }
}

extension ProcessIdentity {
  /// `transit[2367]`, or the name alone if the source contains no id.
  public var title: String {
    (id > 0 ? "\(name)[\(id)]" : name) + (host.isEmpty ? "" : " on \(host)")
  }
}

extension SourceLocation {
  fileprivate var groupName: String { text ?? "unknown" }
}

extension GroupProfile: Summed {
  public static let sums = Sums<Self, Self>(
    \.work, \.measured, \.cacheHits, \.cacheMisses, \.faultTime, \.saves, \.saveTime)

  fileprivate static func merged(name: String, parts: [GroupProfile]) -> Self {
    var group = parts.reduce(into: Self(name: name)) { $0.add($1) }
    group.latency = .merged(parts.map(\.latency))
    return group
  }

  fileprivate init(_ group: StatementGroup) {
    self.init(name: group.statement.sql ?? "\(group.statement.id)")
    work = group.work
    latency = group.latency
    cacheMisses = group.misses
  }

  fileprivate init(entityOf statement: StatementProfile) {
    self.init(name: statement.entity)
    work = statement.work
    latency = statement.latency
  }

  fileprivate init(_ row: FormProfile, name: String) {
    self.init(name: row.isRest ? row.title : name.isEmpty ? "unknown" : name)
    work = row.work
    latency = row.latency
    cacheMisses = row.misses
  }

  fileprivate init(_ caller: CallerProfile) {
    self.init(name: caller.location.groupName)
    work = caller.work
    latency = caller.latency
  }

  fileprivate init(_ fault: FaultProfile, name: String) {
    self.init(name: name)
    measured = fault.measures
    cacheHits = fault.hits
    cacheMisses = fault.misses
    faultTime = fault.hitTime.saturatingSum(fault.missTime)
  }

  fileprivate init(_ save: SaveProfile) {
    self.init(name: save.location.groupName)
    measured = save.measures
    saves = save.count
    saveTime = save.totalTime
  }

  fileprivate init(_ context: ContextProfile, name: String) {
    self.init(name: name)
    work = context.work
    latency = context.latency
    cacheHits = context.cacheHits
    cacheMisses = context.cacheMisses
    faultTime = context.faultTime
    saves = context.saves
    saveTime = context.saveTime
  }
}
