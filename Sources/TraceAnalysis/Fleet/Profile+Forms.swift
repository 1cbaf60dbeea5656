// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceReading

extension Profile {
  /// Sets the rows of a merged profile; where all inputs have one origin, the origin is enough.
  mutating func mergeForms(of profiles: [Profile], limit: Int) {
    let parts = profiles.filter { !$0.statements.isEmpty }
    let origins = Set(parts.map(\.origin))
    if origins.count <= 1, parts.allSatisfy({ $0.forms == nil }) {
      origin = origins.first ?? nil
      self = withForms(limit: limit)
      return
    }
    forms = FormProfile.merged(parts.flatMap(\.formRows), limit: limit)
  }

  /// The profile with at most this many rows of forms.
  func withForms(limit: Int) -> Self {
    guard forms?.count ?? statements.count > limit else { return self }
    var profile = self
    profile.forms = FormProfile.merged(formRows, limit: limit)
    return profile
  }

  /// Keeps a merged profile within the limits of one trace; the rest is counted together.
  mutating func bound() {
    var sentences: [String] = []
    if statements.count > Bounds.statements + 1 {
      var rest = StatementProfile(id: Bounds.restOfStatements, sql: nil, entity: "")
      for statement in statements where statement.id == rest.id { rest.add(statement) }
      let kept = statements.filter { $0.id != rest.id }
      for statement in kept.dropFirst(Bounds.statements) { rest.add(statement) }
      statements = (kept.prefix(Bounds.statements) + [rest])
        .sorted(by: { $0.work.totalTime }, then: \.id.rawValue)
      sentences.append(
        "there are more than \(UInt64(Bounds.statements).grouped) distinct statements; the rest "
          + "are counted together, as statement \(Bounds.restOfStatements), and no rule judges them"
      )
    }
    for index in statements.indices where statements[index].callers.count > Bounds.callers + 1 {
      statements[index].callers = Self.bounded(statements[index].callers)
    }
    if faults.count > Bounds.faults + 1 {
      var rest = FaultProfile(origin: Bounds.restOfFaults)
      for fault in faults.dropFirst(Bounds.faults) { rest.add(fault) }
      faults = Array(faults.prefix(Bounds.faults))
      if let known = faults.firstIndex(where: { $0.origin == rest.origin }) {
        faults[known].add(rest)
      } else {
        faults.append(rest)
      }
    }
    boundProcesses()
    stores = Array(stores.prefix(Bounds.stores))
    guard !sentences.isEmpty, !reading.sources.isEmpty else { return }
    reading.sources[0].problems += sentences.filter { !reading.sources[0].problems.contains($0) }
  }

  private static func bounded(_ callers: [CallerProfile]) -> [CallerProfile] {
    let isRest = { (caller: CallerProfile) in caller.location == .unknown }
    var rest = CallerProfile(location: .unknown)
    for caller in callers where isRest(caller) { rest.add(caller) }
    let kept = callers.filter { !isRest($0) }
    for caller in kept.dropFirst(Bounds.callers) { rest.add(caller) }
    return .merged(kept.prefix(Bounds.callers) + [rest])
  }

  /// If there are too many processes, processes with missing events are kept, because they cause
  /// doubts.
  private mutating func boundProcesses() {
    if processes.count > Bounds.processes {
      let order =
        processes.indices.filter { processes[$0].coverage != .complete }
        + processes.indices.filter { processes[$0].coverage == .complete }
      var newIndexes = [Int](repeating: Bounds.processes, count: processes.count)
      var rest = ProcessProfile(
        identity: ProcessIdentity(id: 0, name: "other processes"))
      for (newIndex, index) in order.enumerated() where newIndex < Bounds.processes {
        newIndexes[index] = newIndex
      }
      for index in order.dropFirst(Bounds.processes) { rest.add(processes[index]) }
      processes = order.prefix(Bounds.processes).map { processes[$0] } + [rest]
      for index in contexts.indices where newIndexes.indices.contains(contexts[index].process) {
        contexts[index].process = newIndexes[contexts[index].process]
      }
      contexts = contexts.merged(by: { ProfileBuilder.Key(process: $0.process, id: $0.id) }) {
        $0.add($1)
      }
    }
    guard contexts.count > Bounds.contexts + 1 else { return }
    // The busiest ones are kept; ties go by process and id, which no clock decides.
    let order = contexts.sorted {
      ($1.work.count, $0.process, $0.id) < ($0.work.count, $1.process, $1.id)
    }
    var rest = ContextProfile(process: 0, id: 0)
    for context in order.dropFirst(Bounds.contexts) { rest.add(context) }
    contexts = (order.prefix(Bounds.contexts) + [rest])
      .merged(by: { ProfileBuilder.Key(process: $0.process, id: $0.id) }) { $0.add($1) }
      .sorted { ($0.process, $0.id) < ($1.process, $1.id) }
  }
}

extension ProcessProfile {
  private static let sums = Sums<Self, Self>(
    \.eventsSeen, \.eventsUncounted, \.unfinishedFetches, \.eventsEmitted, \.tracingTime)

  fileprivate mutating func add(_ other: Self) {
    Self.sums.add(other, to: &self)
    countsEvents = countsEvents && other.countsEvents
    firstEvent = [firstEvent, other.firstEvent].compactMap(\.self).min()
    lastEvent = [lastEvent, other.lastEvent].compactMap(\.self).max()
  }
}
