// SPDX-License-Identifier: Apache-2.0

/// The law of a rule, its reason, an example that breaks it and one that follows it.
public struct RuleExplanation: Hashable, Sendable {
  /// The problem, as a noun that a name can follow: `a full scan`.
  public var problem: String
  /// The law, in one sentence.
  public var law: String
  /// The cost of breaking it.
  public var reason: String
  /// Code or SQL that breaks the law, with the plan or the queries that show it.
  public var bad: String
  /// An example that follows it.
  public var good: String
  /// When it is reported, similar cases that are not reported, and the data that it needs.
  public var limits: String
}

extension Rules {
  /// Documentation/Rules.md, as `make rules` writes it.
  public static var markdown: String {
    """
    # The rules

    The rules that `trace-report summary` checks. Each finding names the statement, the line of code, the counts that
    support it, a confidence, the fix and, if known, the maximum saving. Rules decide by counts, so the same input has
    the same findings; times order them. Two runs of one program on the same data have the same findings, except for
    AvoidLockWait, which depends on other programs that use the database. VM steps vary by a few in a thousand, which
    matters only at a rule's threshold. [Verdicts.md](Verdicts.md) describes the evidence for a verdict and the
    definition of a full scan. Statements that differ only in their values are one form; a finding is one rule, one
    form, one line of code. A database passed with `--database` is only read; the rules that need one state it.
    `trace-report explain RULE` prints a section.

    Findings that a project accepts are listed in `.storescope-exceptions`, under version control, each with a reason
    and an optional expiry date. A rule's name is enough; `caller`, `statement`, `sql` (a part of it) and `object`
    narrow it down. `summary`, `gate` (under `[Gate]`) and `plans --fail-on` use the file. An exception that has
    expired, or that matches nothing, is reported. A comment at a line of code, or above it, is an exception as well:
    `# storescope: ignore[AvoidQueryInLoop] three authors at most`.

    ```
    [AvoidFullTableScan]
    caller = transit/Import.swift
    reason = The import reads all stops, once a night.
    expires = 2027-03-01
    ```

    This file is generated from the rules by `make rules`; a test compares it with them.

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
