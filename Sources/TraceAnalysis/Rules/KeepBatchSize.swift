// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct KeepBatchSize: Rule {
  // A result keeps four batches; if only a quarter of the rows was read, the program displayed a
  // list.
  static let minBatches: UInt64 = 4
  static let minPartRead = 0.25

  static let explanation = RuleExplanation(
    problem: "batches that are loaded at once",
    law: "A batched result is read directly, a batch at a time, and each batch once.",
    reason: """
      A copy of the result (an Array, a sorted list, a Set) reads all objects and so loads all batches with one query
      each, which costs more than a fetch without a batch size. The same happens if the program iterates back and forth
      over more batches than are kept.
      """,
    bad: """
      let stops = Array(try context.fetchInBatches(request))       // 12,800 stops, 256 queries
      show(stops[0..<25])
      """,
    good: """
      let stops = try context.fetchInBatches(request)              // the keys
      show(stops[0..<25])                                          // one batch
      """,
    limits: """
      Reported when fetch(_:) was called with a batch size, which loads all rows at once; when batches were loaded twice
      or more on average; and when all of at least four batches were loaded although the faults show that fewer than a
      quarter of the objects were read. All batches of 1,000 objects or more of Core Data's log, one directly after
      another, are a note. A single pass over all objects in order is not reported.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.batches.compactMap { batch -> Finding? in
      guard batch.rows > batch.batchSize else { return nil }
      if batch.batches == 0 { return ignored(batch, workload.profile) }
      guard batch.batches >= Self.minBatches else { return nil }
      if batch.rowsLoaded / 2 >= batch.rows { return reloaded(batch) }
      return batch.rowsLoaded >= batch.rows ? copied(batch, workload.profile) : nil
    } + (workload.profile.sequences ?? []).compactMap { passed($0, workload.profile) }
  }

  /// All batches of Core Data's log, one directly after another.
  private func passed(_ sequence: QueryLoop, _ profile: Profile) -> Finding? {
    guard let batches = profile.statement(sequence.child), batches.kinds.contains(.batch) else {
      return nil
    }
    return Finding(
      rule: Self.name, severity: .note, confidence: .medium, statement: sequence.child,
      object: batches.entity,
      message: """
        All of \(sequence.parentRows.grouped) \(batches.entity) objects were loaded, in \
        \(sequence.runs.counted("batch", "batches")), one directly after another.
        """,
      evidence: [
        .init("fetches", sequence.occurrences), .init("rows", sequence.parentRows),
        .init("batches", sequence.runs), .init("batchNs", sequence.time),
      ],
      fix: """
        keep the batched result itself: an Array, a Set or a sort of it loads every object; if all of \
        them are read once, in order, keep it as it is
        """)
  }

  /// All objects were loaded in one statement: the SELECT lists more columns than the key.
  private func ignored(_ batch: BatchProfile, _ profile: Profile) -> Finding? {
    guard let sql = profile.statement(batch.statement)?.sql,
      ResultColumns.all(in: sql).contains(where: { $0.name.uppercased() != "Z_PK" })
    else { return nil }
    return finding(
      batch, .high,
      """
      \(batch.fetches.counted("fetch", "fetches")) with a batch size of \
      \(batch.batchSize.grouped) loaded all of \(batch.rows.grouped) \(batch.entity) objects at \
      once.
      """, "use fetchInBatches, or fetch without a batch size")
  }

  private func reloaded(_ batch: BatchProfile) -> Finding {
    let needless = 1 - Double(batch.rows) / Double(batch.rowsLoaded)
    return finding(
      batch, .high,
      """
      \(batch.rows.grouped) \(batch.entity) objects were loaded in batches of \
      \(batch.batchSize.grouped), \(batch.rowsLoaded.counted("row")) in total: the same batches \
      were loaded repeatedly.
      """, "iterate over the result in order, sort it in the fetch, or use larger batches",
      saving: .init(
        atMost: Int64(exactly: (Double(batch.batchTime) * needless).rounded()) ?? 0,
        basis: "the time of batches that were loaded before"))
  }

  private func copied(_ batch: BatchProfile, _ profile: Profile) -> Finding? {
    let read = profile.faults.filter {
      $0.origin.relationship.isEmpty && $0.origin.entity == batch.entity
        && $0.origin.location == batch.location
    }.reduce(UInt64(0)) { $0 &+ $1.hits &+ $1.misses }
    guard read > 0, Double(read) < Double(batch.rows) * Self.minPartRead else { return nil }
    let unread = 1 - Double(read) / Double(batch.rows)
    return finding(
      batch, .medium,
      """
      All of \(batch.rows.grouped) \(batch.entity) objects were loaded, in \
      \(batch.batches.counted("batch", "batches")), and \(read.grouped) of them \
      \(read == 1 ? "was" : "were") read.
      """,
      "keep the batched result itself: an Array, a Set or a sort of it loads every object",
      saving: .init(
        atMost: Int64(exactly: (Double(batch.batchTime) * unread).rounded()) ?? 0,
        basis: "the time of batches for objects that were not read"))
  }

  private func finding(
    _ batch: BatchProfile, _ confidence: Finding.Confidence, _ message: String, _ fix: String,
    saving: Finding.Saving? = nil
  ) -> Finding {
    Finding(
      rule: Self.name, confidence: confidence, statement: batch.statement,
      caller: batch.location, object: batch.entity, message: message,
      evidence: [
        .init("fetches", batch.fetches), .init("rows", batch.rows),
        .init("batchSize", batch.batchSize), .init("batches", batch.batches),
        .init("rowsLoaded", batch.rowsLoaded), .init("batchNs", batch.batchTime),
      ], fix: fix, saving: saving)
  }
}
