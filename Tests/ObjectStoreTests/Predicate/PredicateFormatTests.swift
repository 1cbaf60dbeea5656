// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ObjectStore

@Suite struct PredicateFormatTests {
  private typealias Expression = FetchPredicate.Expression

  private func comparison(_ format: String, _ arguments: (any PredicateArgument)?...) throws
    -> FetchPredicate.Comparison?
  {
    guard
      case .comparison(let comparison) = try FetchPredicate(format: format, arguments: arguments)
    else { return nil }
    return comparison
  }

  @Test(arguments: [
    ("x = 1", "x == 1"), ("x=1", "x == 1"), ("x <> 1", "x != 1"), ("x =< 1", "x <= 1"),
    ("x => 1", "x >= 1"), ("a==1 and b==2", "a == 1 AND b == 2"),
    ("a==1 && b==2 || !c==3", "(a == 1 AND b == 2) OR NOT c == 3"),
    ("a == 1 OR b == 2 AND c == 3", "a == 1 OR (b == 2 AND c == 3)"),
    ("not (a == 1 or b == 2)", "NOT (a == 1 OR b == 2)"),
    ("((((a)))==((1)))", "a == 1"), ("a == 0x1F", "a == 31"), ("a == 0b101", "a == 5"),
    ("a == 0o17", "a == 15"), ("a == 9.2e-5", "a == 9.2e-05"), ("a == .5", "a == 0.5"),
    ("a == -9223372036854775808", "a == -9223372036854775808"), ("a == NULL", "a == nil"),
    ("a == yes", "a == TRUE"), ("a == 'it\\'s \"q\"'", #"a == "it's \"q\"""#),
    ("a == '\\x41\\u00e9\\101\\n'", #"a == "AéA\x0a""#),
    ("a beginswith[dc] 'x'", #"a BEGINSWITH[cd] "x""#), ("a IN {1,2,}", ""),
    ("#size == #in.#first", "#size == #in.#first"), ("stop.first == 1", "stop.#first == 1"),
    ("some a.b > 1", "ANY a.b > 1"), ("none a.b > 1", "NOT ANY a.b > 1"),
    ("ALL a.b > 1", "ALL a.b > 1"), ("SELF IN $list", "SELF IN $list"),
    ("SELF.name == 1", "name == 1"), ("a.@sum.price > 1", "a.@sum.price > 1"),
    ("1 + 2 * 3 - 4 == 2 ** 3 ** 4", "(1 + (2 * 3)) - 4 == 2 ** (3 ** 4)"),
    ("-a == 1", "(0 - a) == 1"), ("add:to:(1, a) == 2", "add:to:(1, a) == 2"),
    ("a[0] == b[LAST]", "objectFrom:withIndex:(a, 0) == objectFrom:withIndex:(b, #LAST)"),
    ("add:and:(1, a) == 2", "add:and:(1, a) == 2"), ("#CAST(a, 'NSNumber') == 1", ""),
    ("CAST(a, 'NSNumber') == 1", #"CAST(a, "NSNumber") == 1"#),
    ("TRUEPREDICATE AND falsepredicate", "TRUEPREDICATE AND FALSEPREDICATE"),
    ("名前 == 'ö'", #"名前 == "ö""#), ("\n a\t==\r\n1 ", "a == 1"),
  ])
  func readsTheGrammar(_ format: String, _ printed: String) throws {
    guard !printed.isEmpty else {
      #expect(throws: PredicateFormatError.self) { _ = try FetchPredicate(format: format) }
      return
    }
    let predicate = try FetchPredicate(format)
    #expect(normalized(predicate.predicateFormat) == normalized(printed))
    let reread = try FetchPredicate(predicate.predicateFormat)
    #expect(reread == predicate)
  }

  /// Parentheses around operands of arithmetic are optional in comparisons.
  private func normalized(_ format: String) -> String {
    format.contains("+") || format.contains("**") || format.contains(" - ")
      ? format.filter { !"()".contains($0) } : format
  }

  @Test func bindsTighterOperatorsFirst() throws {
    let predicate = try comparison("1 + 2 * 3 - 4 == 2 ** 3 ** 4")
    func number(_ value: Int64) -> Expression { .constant(.integer(value)) }
    #expect(
      predicate?.left
        == .arithmetic(
          .subtract, .arithmetic(.add, number(1), .arithmetic(.multiply, number(2), number(3))),
          number(4)))
    #expect(
      predicate?.right == .arithmetic(.power, number(2), .arithmetic(.power, number(3), number(4))))
  }

  @Test func takesArgumentsInOrder() throws {
    let date = Date(timeIntervalSinceReferenceDate: 5)
    let predicate = try FetchPredicate(
      "%K == %@ AND %K.name == %@ AND a > %d AND b < %.2f AND c == %s AND d == %@ AND e IN %@ "
        + "AND f BETWEEN %@ AND %K > 1",
      "stop.name", "x", "stop", date, 3, 2.5, "s", nil, ["p", "q"], 1...2, "times.@count")
    #expect(
      predicate.predicateFormat
        == #"stop.name == "x" AND stop.name == CAST(5.0, "NSDate") AND a > 3 AND b < 2.5 "#
        + #"AND c == "s" AND d == nil AND e IN {"p", "q"} AND f BETWEEN {1, 2} AND times.@count > 1"#
    )
  }

  @Test func leavesPlaceholdersInQuotesAlone() throws {
    #expect(try comparison("a == '%@ $x %K'")?.right == .constant(.string("%@ $x %K")))
  }

  @Test(arguments: [
    ("name = ", 1, 8, "the end", "a value"),
    ("name == 'x", 1, 9, "a string without end", "a closing \"'\""),
    ("(a == 1", 1, 8, "the end", "\")\""),
    ("a == 1 b == 2", 1, 8, "\"b\"", "AND, OR or the end"),
    ("a == 1\n  AND\n  b ? 2", 3, 5, "\"?\"", "a comparison, AND, OR or a value"),
    ("name", 1, 5, "the end", "a comparison such as == or CONTAINS"),
    ("a == 1 AND 5", 1, 13, "the end", "a comparison such as == or CONTAINS"),
    ("(a == 1) == 2", 1, 10, "\"==\"", "AND, OR or the end"),
    ("a < b < c", 1, 7, "\"<\"", "AND, OR or the end"),
    ("ö BETWEEN {1}", 1, 11, "\"{\"", "two bounds in braces, such as {1, 5}"),
    ("a ==[x] 1", 1, 6, "\"x\"", "c, d, n or l"),
    ("SUBQUERY(a, x, 1 == 1).@count > 0", 1, 13, "\"x\"", "a variable such as $x"),
    ("a.@median == 1", 1, 4, "\"median\"", "count, sum, min, max or avg"),
    (
      "a == 99999999999999999999", 1, 6, "\"99999999999999999999\"",
      "a number such as 42, 4.2e1, 0x2a, 0o52 or 0b101010"
    ),
    ("LIKE == 1", 1, 1, "\"LIKE\"", "a value; write #LIKE for a property of that name"),
    ("a == %y", 1, 6, "\"%\" before \"y\"", "%@, %K, %%, %d, %f or %s"),
    ("a == %@", 1, 6, "\"%@\" without an argument", "more than 0 arguments"),
    ("", 1, 1, "the end", "a value"),
  ])
  func reportsThePlaceOfAnError(
    _ format: String, _ line: Int, _ column: Int, _ found: String, _ expected: String
  ) throws {
    let error = #expect(throws: PredicateFormatError.self) {
      _ = try FetchPredicate(format: format)
    }
    #expect(error?.line == line)
    #expect(error?.column == column)
    #expect(error?.found == found)
    #expect(error?.expected == expected)
  }

  @Test func drawsACaret() throws {
    let error = #expect(throws: PredicateFormatError.self) {
      _ = try FetchPredicate("name == 'ö' AND\nx >< 1")
    }
    #expect(
      error?.description == """
        predicate format, line 2, column 4: found "<", expected a value
        x >< 1
           ^
        """)
  }

  @Test func refusesArgumentsThatDoNotFit() throws {
    func error(_ format: String, _ arguments: (any PredicateArgument)?...) -> String {
      do {
        _ = try FetchPredicate(format: format, arguments: arguments)
        return "none"
      } catch { return error.found + " / " + error.expected }
    }
    #expect(error("a == 1", 2) == "1 arguments / one for each of the 0 placeholders")
    #expect(error("a == %d", "x") == "\"%d\" with another type as argument 1 / an integer")
    #expect(error("a == %@ AND %K == 1", 1, 5).hasSuffix("/ a key path as a String"))
    #expect(error("%K == 1", "a..b").hasSuffix("/ a key path"))
  }

  @Test(arguments: [
    "(", "!", "NOT ", "-", "{", "a == {", "f(", "SUBQUERY(a, $x, ", "ANY ", "a ** ",
  ])
  func refusesBottomlessNesting(_ opening: String) throws {
    let format = String(repeating: opening, count: 100_000)
    #expect(throws: PredicateFormatError.self) { _ = try FetchPredicate(format: format) }
  }

  @Test(arguments: [" + a", "[0]", ".@sum", ".b"])
  func readsOrRefusesLongChains(_ link: String) throws {
    let format = "a" + String(repeating: link, count: 100_000) + " == 1"
    if link == ".b" {
      #expect(try comparison(format) != nil)
    } else {
      #expect(throws: PredicateFormatError.self) { _ = try FetchPredicate(format: format) }
    }
  }

  @Test func readsTenThousandTerms() throws {
    let format = (0..<10_000).map { "a == \($0)" }.joined(separator: " OR ")
    guard case .or(let terms) = try FetchPredicate(format) else { throw CancellationError() }
    #expect(terms.count == 10_000)
  }
}
