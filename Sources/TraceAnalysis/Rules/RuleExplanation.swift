// SPDX-License-Identifier: Apache-2.0

/// What a rule demands, why, and an example that breaks it and one that follows it.
public struct RuleExplanation: Hashable, Sendable {
  /// What to do, in one sentence.
  public var law: String
  /// Why breaking it costs work.
  public var reason: String
  /// Code or SQL that breaks the law, with the plan or the queries that show it.
  public var bad: String
  /// An example that follows it.
  public var good: String
  /// When it is reported, what looks alike and is left alone, and what it needs to see.
  public var limits: String

  /// Makes an explanation.
  public init(law: String, reason: String, bad: String, good: String, limits: String) {
    self.law = law
    self.reason = reason
    self.bad = bad
    self.good = good
    self.limits = limits
  }
}

extension Rules {
  /// Documentation/Rules.md, as `make rules` writes it.
  public static var markdown: String {
    """
    # The rules

    What `trace-report summary` looks for in a trace or a log. Each finding names the statement, the line of code, the
    numbers behind it, how far they support it, what the change can save at most where that is known, and the change. Counts
    decide whether a rule reports, so the same input has the same findings; times order them. Two runs of one program on the same
    data have the same findings, except for AvoidLockWait, which depends on who else uses the database and for how long. Other
    times decide nothing; VM steps vary by a few in a thousand, which matters at a rule's threshold alone. What else a verdict
    rests on, and when a statement counts as a full scan, is in [Verdicts.md](Verdicts.md). Statements that differ only
    in their values are one form; a finding is one rule, one form, one line of code. A database
    given with `--database` is only read; the rules that need one state it. `trace-report explain RULE` prints a section.

    What the project decides to live with stands in `.storescope-exceptions`, under version control, each with its reason
    and perhaps its last day. A rule's name is enough; `caller`, `statement`, `sql` (a part of it) and `object` narrow it
    down. `summary`, `gate` (under `[Gate]`) and `plans --fail-on` heed it; an exception that is expired, or that matches
    nothing, is reported.

    ```
    [AvoidFullTableScan]
    caller = transit/Import.swift
    reason = The import reads all stops, once a night.
    expires = 2027-03-01
    ```

    This file is made from the rules by `make rules`; a test holds it against them.

    | rule | in one sentence |
    |---|---|

    """
      + all.map { rule in
        let type = type(of: rule)
        return "| [\(type.name)](#\(type.name.lowercased())) | \(type.explanation.law) |\n"
      }.joined() + all.map { type(of: $0).markdown }.joined()
  }
}

extension Rule {
  fileprivate static var markdown: String {
    """

    ## \(name)

    \(explanation.law) \(explanation.reason)

    Bad:

    ```
    \(explanation.bad)
    ```

    Good:

    ```
    \(explanation.good)
    ```

    \(explanation.limits)

    """
  }
}
