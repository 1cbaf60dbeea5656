// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// Explains statements against one database, whatever program they come from.
///
/// Objects that only the program has are replaced: its functions and collations, and the tables
/// `_Z_intarrayN` in which Core Data stores IN lists. They are created on this connection, in its
/// temporary in-memory database.
public final class PlanExplainer {
  let connection: Connection
  let conditions: PlanConditions
  let budget: PlanBudget?
  /// The explainers of other databases of the trace, by path; nil for one that cannot be read.
  var others: [String: OtherDatabase?] = [:]
  private var sizes: [String: TableSize?] = [:]
  /// The sizes of a capsule; nil for a database with its rows.
  private let capsule: CapsuleSizes?
  /// Whether the database is unpacked from a capsule and has no rows.
  public var isFromCapsule: Bool { capsule != nil }
  /// The reason why a table of a plan could not be read: the first such error of a damaged file.
  public private(set) var damage: SQLiteError?

  /// The names that were replaced on this connection; initially the collations of the schema's own
  /// indexes.
  private var replaced: Set<String> = []

  let meter: StatementMeter
  let recorded: (String) -> [[BindValue]]
  private lazy var modules: [String: String] = virtualModules()
  /// In lower case; an old SQLite does not list them.
  private lazy var shadowTables = Set(
    (try? connection.texts("SELECT lower(name) FROM pragma_table_list WHERE type = 'shadow'")) ?? []
  )
  private let qualifier: ColumnQualifier
  private var trial: (schema: Int64, trial: IndexTrial?)?

  /// - Parameters:
  ///   - budget: the work that this explainer, and others with it, may take; nil for that of a command.
  ///   - values: returns the values that runs of a statement bound, as far as they were recorded.
  public init(
    _ connection: Connection, conditions: PlanConditions = PlanConditions(),
    budget: PlanBudget? = nil, values: @escaping (String) -> [[BindValue]] = { _ in [] }
  ) {
    self.connection = connection
    self.conditions = conditions
    recorded = values
    self.budget = budget
    meter = StatementMeter(connection, budget ?? .ofCommand, updates: conditions.updates)
    qualifier = ColumnQualifier(connection)
    capsule = CapsuleSizes(connection)
    replaced = Self.standInForCollations(of: connection, on: connection)
    attachDatabases()
    for sql in conditions.temporaryTables { try? connection.execute(sql) }
    if conditions.likeIsCaseSensitive { connection.setCaseSensitiveLike() }
    // The plans of DELETE and UPDATE then show the checks of foreign keys.
    try? connection.execute("PRAGMA foreign_keys = ON")
  }

  /// A statement's plan and its meaning, or the reason why there is none.
  public struct Explanation {
    public var sql: String
    /// The SQL with the table before each column, where the statement has several tables.
    public var qualifiedSQL: String
    public var plan: QueryPlan?
    public var judgement: PlanJudgement?
    public var error: SQLiteError?
    /// Whether it names a table or a column that the program removed later.
    public var isOfEarlierSchema = false
    /// The database of the plan, where the statement ran on another one than that of the report, or on several that
    /// are judged one by one.
    public var database: String?
    /// The objects that were replaced.
    public var standIns: [String] = []

    /// SQLite's error message if there is no plan.
    public var failure: String? { error?.message }
    /// The reason why there is no plan.
    public var failureText: String? {
      // The probe marks a long text.
      let mark = " /* cut */"
      return error.map {
        sql.hasSuffix(mark)
          ? "its text was cut after \(sql.utf8.count - mark.utf8.count) bytes"
          : "does not compile against this database: \($0.message)"
      }
    }
    /// The names in the statement and its views, and its tables, in lower case.
    public var words: Set<String> = []
    /// Whether it ran on a database that cannot be read here.
    public var isElsewhere = false
    public var verdict: PlanVerdict { judgement?.verdict ?? .error }
  }

  /// Whether all its tables are shadow tables of virtual tables: the module ran it, and not the
  /// program.
  private func isFromModule(_ sql: String) -> Bool {
    let tables = StatementClauses(sql: sql).tables
      .union(WrittenTable.all(in: sql).map { $0.table.lowercased() })
    return !tables.isEmpty && tables.isSubset(of: shadowTables)
  }

  /// Explains a statement, and judges it by the work that a trace counted or, without counters, by
  /// one run here.
  public func explain(_ sql: String, work: StatementWork = StatementWork()) -> Explanation {
    var explanation = Explanation(sql: sql, qualifiedSQL: qualifier.qualified(sql))
    if let path = conditions.otherDatabase(sql), StatementOutline(sql).hasPlan {
      return explain(sql, work, in: path)
    }
    // EXPLAIN would fail for a change that the program already made: "table t already exists".
    guard StatementOutline(sql).hasPlan, !isFromModule(sql) else {
      var judgement = PlanJudgement()
      judgement.verdict = .noPlan
      explanation.judgement = judgement
      return explanation
    }
    let names = Set(SQLTokenizer.tokens(of: sql).compactMap { $0.name?.lowercased() })
    explanation.standIns = replaced.filter { names.contains($0.lowercased()) }.sorted()
    do throws(SQLiteError) {
      var plan = QueryPlan(
        steps: try retrying(&explanation.standIns) { () throws(SQLiteError) in
          try connection.plan(sql)
        })
      let values = self.values(of: sql, work)
      if let values, let steps = try? connection.plan(sql, values: values) {
        plan = QueryPlan(steps: steps)
      }
      plan.resolve(by: AliasResolver(sql: sql, viewSQL: viewSQL))
      explanation.plan = plan
      var source = source
      source.measure = { [meter, recorded] in
        meter.measure(sql, values: recorded(sql), work: work)
      }
      explanation.judgement = PlanJudge(
        sql: explanation.qualifiedSQL, work: work, source: source
      ).judge(plan)
      explanation.judgement?.compareVersions(conditions, work, of: sql)
      explanation.words = words(of: sql)
      addActions(&explanation)
      let subject = IndexTrial.Subject(
        sql: sql, values: values,
        run: { [meter, recorded] in
          meter.trial(sql, values: recorded(sql), work: work, with: $0, as: $1)
        },
        search: { [meter, recorded] in
          meter.search(sql, values: recorded(sql), work: work, plausible: $0)
        })
      tryIndexes(&explanation, subject)
    } catch {
      explanation.error = error
      explanation.isOfEarlierSchema =
        conditions.changesTables && SchemaMatch.isFromSchema(error.message)
    }
    return explanation
  }

  /// The data that the judge reads.
  var source: PlanJudge.Source {
    var source = PlanJudge.Source(
      size: size, partialIndex: partialIndex,
      module: { [unowned self] in modules[$0.lowercased()] }, firstColumn: firstColumn)
    source.mayHaveChanged = conditions.mayHaveChanged
    source.isAsTraced = conditions.isAsTraced
    source.columns = { [unowned self] in currentTrial()?.columns(of: $0) }
    if !conditions.attached.isEmpty {
      source.attachedDatabase = { [unowned self] in attachedDatabase(of: $0) }
    }
    return source
  }

  /// Values of a run on which its plan may depend; nil where it does not, or none are known.
  ///
  /// SQLite prepares a statement again once values are bound: it may find a LIKE by an index, and the rows of
  /// a partial one.
  private func values(of sql: String, _ work: StatementWork) -> [BindValue]? {
    let tokens = SQLTokenizer.tokens(of: sql)
    guard tokens.contains(where: { $0.kind == .parameter }),
      hasValueIndexes || tokens.contains(where: { $0.isWord("LIKE") || $0.isWord("GLOB") })
    else { return nil }
    return meter.values(of: sql, recorded: recorded(sql), work: work)
  }

  /// Whether the database has partial indexes, or samples of its indexes.
  private var hasValueIndexes: Bool {
    number(
      "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %' "
        + "OR name = 'sqlite_stat4'") != nil
  }

  /// A statement's plan alone; nil where it does not compile.
  public func plan(of sql: String) -> QueryPlan? {
    if let path = conditions.otherDatabase(sql) {
      return other(path)?.explainer.plan(of: sql)
    }
    var standIns: [String] = []
    guard StatementOutline(sql).hasPlan,
      let steps = try? retrying(&standIns, { () throws(SQLiteError) in try connection.plan(sql) })
    else { return nil }
    var plan = QueryPlan(steps: steps)
    plan.resolve(by: AliasResolver(sql: sql, viewSQL: viewSQL))
    return plan
  }

  /// The bytes of each result column of one run, by its name; nil where the statement cannot be run.
  public func columnBytes(of sql: String) -> [String: UInt64]? {
    meter.measure(sql, values: recorded(sql)).map { $0.isCut ? [:] : $0.columnBytes }
  }

  // MARK: - Stand-ins

  /// Defines the collations of the indexes before anything is compiled.
  ///
  /// Once a collation was missing, SQLite does not use its indexes until the schema is read again:
  /// later plans would scan where the program searches. See `bNoQuery` in
  /// <https://sqlite.org/src/file/src/build.c>.
  @discardableResult
  static func standInForCollations(
    of source: Connection, on connection: Connection
  ) -> Set<String> {
    var replaced: Set<String> = []
    let schema = try? source.prepare("SELECT sql FROM sqlite_schema WHERE sql LIKE '%COLLATE%'")
    while let schema, (try? schema.step()) == true {
      let tokens = SQLTokenizer.tokens(of: schema.string(0))
      for (word, token) in zip(tokens, tokens.dropFirst()) where word.isWord("COLLATE") {
        guard let name = token.name, !collationsOfSQLite.contains(name.uppercased()),
          (try? connection.addStandIn(collation: name)) != nil
        else { continue }
        replaced.insert(name)
      }
    }
    return replaced
  }

  static let collationsOfSQLite: Set = ["BINARY", "NOCASE", "RTRIM"]

  private func retrying<T>(
    _ standIns: inout [String], _ body: () throws(SQLiteError) -> T
  ) throws(SQLiteError) -> T {
    try MissingThing.retrying(
      on: connection,
      replaced: {
        if !standIns.contains($0) { standIns.append($0) }
        replaced.insert($0)
      }, body)
  }

  // MARK: - The database's facts

  // Counting a million rows takes tens of milliseconds; a larger number would add no information.
  private static let maxRowsCounted = 1_000_000

  func size(of table: String) -> TableSize? {
    if let capsule { return capsule.size(of: table) }
    if let known = sizes[table] { return known }
    let size = number(
      "SELECT count(*) FROM (SELECT 1 FROM main.\(Self.quoted(table)) LIMIT \(Self.maxRowsCounted))"
    ).map { TableSize(rows: $0, isAtLeast: $0 >= Self.maxRowsCounted) }
    sizes[table] = .some(size)
    return size
  }

  /// The module of each virtual table, both in lower case.
  private func virtualModules() -> [String: String] {
    var modules: [String: String] = [:]
    guard
      let schema = try? connection.prepare(
        "SELECT name, sql FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'")
    else { return modules }
    while (try? schema.step()) == true {
      let tokens = SQLTokenizer.tokens(of: schema.string(1))
      guard let position = tokens.firstIndex(where: { $0.isWord("USING") }),
        position + 1 < tokens.count
      else { continue }
      modules[schema.string(0).lowercased()] = tokens[position + 1].name?.lowercased()
    }
    return modules
  }

  /// The trial of the schema as it is now.
  func currentTrial() -> IndexTrial? {
    let schema = number("PRAGMA schema_version").map(Int64.init) ?? 0
    if let trial, trial.schema == schema { return trial.trial }
    let new = IndexTrial(
      connection, size: { [unowned self] in size(of: $0) },
      rows: { [unowned self] candidate in
        capsule != nil
          ? nil
          : candidate.condition.flatMap { condition in
            number(
              "SELECT count(*) FROM (SELECT 1 FROM main.\(Self.quoted(candidate.table)) WHERE "
                + "\(condition) LIMIT \(Self.maxRowsCounted))")
          }
      })
    trial = (schema, new)
    return new
  }

  func number(_ sql: String) -> Int? {
    do throws(SQLiteError) {
      let statement = try connection.prepare(sql)
      return try statement.step() ? Int(statement.int64(0)) : nil
    } catch {
      // A table that is not in the file, such as a replacement, has no size; that is not damage.
      if !error.isMistake { damage = damage ?? error }
      return nil
    }
  }

  func viewSQL(of name: String) -> String? { schemaSQL("view", "name", name).first }

  /// The CREATE TRIGGER of each trigger of a table.
  func triggers(of table: String) -> [String] { schemaSQL("trigger", "tbl_name", table) }

  private func schemaSQL(_ type: String, _ column: String, _ name: String) -> [String] {
    guard
      let query = try? connection.cachedStatement(
        "SELECT sql FROM sqlite_schema WHERE type = ?1 AND \(column) = ?2 COLLATE NOCASE "
          + "AND sql IS NOT NULL ORDER BY name")
    else { return [] }
    defer { connection.recycle(query) }
    query.bind(type, at: 1)
    query.bind(name, at: 2)
    var texts: [String] = []
    while (try? query.step()) == true { texts.append(query.string(0)) }
    return texts
  }

  func words(of sql: String) -> Set<String> {
    var (words, waiting) = (Set<String>(), [sql])
    while let text = waiting.popLast() {
      let names = SQLTokenizer.tokens(of: text).compactMap { $0.name?.lowercased() }
      waiting += Set(names).subtracting(words).sorted().compactMap(viewSQL)
      words.formUnion(names)
    }
    return words
  }

  /// The part of its table that an index holds; nil if it holds all rows.
  private func partialIndex(_ name: String) -> PlanJudge.PartialIndex? {
    guard let sql = schemaSQL("index", "name", name).first else { return nil }
    let tokens = SQLTokenizer.tokens(of: sql)
    guard let condition = tokens.firstIndex(where: { $0.isWord("WHERE") }),
      let on = tokens[..<condition].firstIndex(where: { $0.isWord("ON") }),
      let table = tokens[on + 1].name
    else { return nil }
    let text = sql[tokens[condition].range.lowerBound...]
    let rows =
      capsule == nil
      ? number(
        "SELECT count(*) FROM (SELECT 1 FROM main.\(Self.quoted(table)) INDEXED BY "
          + "\(Self.quoted(name)) \(text) LIMIT \(Self.maxRowsCounted))") : nil
    return PlanJudge.PartialIndex(
      columns: Set(tokens[(condition + 1)...].compactMap { $0.name?.lowercased() }),
      terms: SchemaWord.terms(of: condition + 1..<tokens.count, tokens),
      size: capsule?.size(of: name)
        ?? rows.map { TableSize(rows: $0, isAtLeast: $0 >= Self.maxRowsCounted) })
  }

  private func firstColumn(of index: String) -> String? {
    let columns = try? connection.texts(
      "SELECT lower(name) FROM pragma_index_info(?1) WHERE seqno = 0 AND name IS NOT NULL", index)
    return columns?.first
  }

  func qualified(_ sql: String) -> String { qualifier.qualified(sql) }

  package static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
