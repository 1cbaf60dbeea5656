// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceReading

extension Profile {
  /// A profile without events.
  public static var empty: Profile { .merged([]) }

  /// One profile of several runs, as if their traces had been read together.
  ///
  /// The order of the profiles decides the order of processes and sources alone.
  ///
  /// - Parameters:
  ///   - profiles: the profiles to add up.
  ///   - maxForms: how many rows of forms by origin are kept; the rest are one row.
  public static func merged(_ profiles: [Profile], maxForms: Int = Bounds.forms) -> Profile {
    guard profiles.count != 1 else { return profiles[0].withForms(limit: maxForms) }
    let statements = profiles.flatMap(\.statements).merged(by: \.id) { $0.add($1) }
      .sorted(by: { $0.work.totalTime }, then: \.id.rawValue)
    let faults = profiles.flatMap(\.faults).merged(by: \.origin) { $0.add($1) }
      .sorted(by: { Int64(clamping: $0.misses) }, then: \.origin.sortKey)
    var merged = Profile(
      totals: profiles.map(\.totals).sum(from: Totals()), statements: statements, faults: faults,
      batches: profiles.flatMap(\.batches).merged(by: \.key) { $0.add($1) }
        .sorted(by: \.batchTime, then: \.sortKey),
      saves: profiles.flatMap(\.saves).merged(by: \.location) { $0.add($1) }
        .sorted(by: \.totalTime, then: { "\($0.location.file):\($0.location.line)" }),
      contexts: contexts(of: profiles), entities: entities(of: statements, faults: faults),
      stores: profiles.flatMap(\.stores).merged(by: \.self) { _, _ in },
      waits: profiles.map(\.waits).sum(from: WaitProfile()),
      processes: profiles.flatMap(\.processes),
      reading: ReadingReport(sources: profiles.flatMap(\.reading.sources)),
      selection: profiles.flatMap(\.selection).merged(by: \.self) { _, _ in },
      observed: .merged(profiles.compactMap(\.observed)),
      locks: .merged(profiles.compactMap(\.locks)), io: .merged(profiles.compactMap(\.io)))
    merged.unended = profiles.flatMap(\.unended)
    merged.measured = profiles.reduce(nil) { $0 + $1.measures }
    let sequences = profiles.compactMap(\.sequences)
    if !sequences.isEmpty { merged.sequences = .merged(sequences) }
    let others = Set(profiles.flatMap { $0.otherSQL ?? [] }).sorted()
    // 1,000 is the bound of a trace.
    if !others.isEmpty { merged.otherSQL = Array(others.prefix(1000)) }
    merged.mergeForms(of: profiles, limit: maxForms)
    merged.bound()
    return merged
  }

  /// Adds up statements with the same id.
  mutating func mergeStatements() {
    statements = statements.merged(by: \.id) { $0.add($1) }
      .sorted(by: { $0.work.totalTime }, then: \.id.rawValue)
    batches = batches.merged(by: \.key) { $0.add($1) }.sorted(by: \.batchTime, then: \.sortKey)
    sequences = sequences.map { [QueryLoop].merged([$0]) }
    observed = .merged([observed].compactMap(\.self))
  }

  /// The contexts, their processes counted on through all profiles.
  private static func contexts(of profiles: [Profile]) -> [ContextProfile] {
    var first = 0
    return profiles.flatMap { profile in
      defer { first += profile.processes.count }
      return profile.contexts.map { context in
        var context = context
        context.process += first
        return context
      }
    }
  }
}

extension Array {
  /// Folds the elements of each key into its first one; the order is that of the first ones.
  func merged<Key: Hashable>(
    by key: (Element) -> Key, _ add: (inout Element, Element) -> Void
  ) -> Self {
    var indexes: [Key: Int] = [:]
    var result: Self = []
    for element in self {
      if let index = indexes[key(element)] {
        add(&result[index], element)
      } else {
        indexes[key(element)] = result.count
        result.append(element)
      }
    }
    return result
  }
}

extension [CallerProfile] {
  /// Each line once, by total time.
  static func merged(_ callers: [CallerProfile]) -> Self {
    callers.merged(by: \.location) { $0.add($1) }
      .sorted(by: { $0.work.totalTime }, then: { "\($0.location.file):\($0.location.line)" })
  }
}

extension BatchProfile {
  fileprivate var key: ProfileBuilder.BatchKey {
    ProfileBuilder.BatchKey(location: location, statement: statement)
  }
}
