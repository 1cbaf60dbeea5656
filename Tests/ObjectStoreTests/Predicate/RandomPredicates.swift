// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import ObjectStore

/// Draws predicates over `Stop` and rows for them, so small that they often meet.
struct RandomPredicates {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed) }

  static let strings = [
    "", "a", "A", "ab", "aB", "á", "a\u{301}", "ÁB", "ß", "SS", "ss", "ö", "o\u{308}", "Ö", "oe",
    "z", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "\u{10FFFF}a", "a\0b", "σς",
    "Σ", "i", "İ", "ı", "%", "_", "*", "?", "a?b*", "\\", "名前", "👩‍👩‍👧", "ﬁ", "fi", "a\u{323}\u{301}",
    "aab", "baa", "bab",
  ]
  static let numbers: [StoreValue] = [
    .integer(0), .integer(1), .integer(-1), .integer(2), .integer(.max), .integer(.min),
    .double(0.5), .double(1), .double(-0.0), .double(.nan), .double(.infinity), .double(1e300),
    .double(9007199254740992), .bool(true), .bool(false), .null,
  ]

  // MARK: - Rows

  mutating func fill(_ rows: PredicateRows) {
    rows.removeAll()
    let stops = (0..<Int.random(in: 1...6, using: &random)).map { _ in
      rows.add("Stop", stopValues())
    }
    for _ in 0..<Int.random(in: 0...8, using: &random) {
      let stopTime = rows.add(
        "StopTime",
        ["departureTime": integer(in: -2...3), "headsign": string()])
      if !random.once(in: 4) { rows.link(stopTime, to: random.pick(stops)) }
    }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let tag = rows.add("Tag", ["title": string()])
      for stop in stops where random.once(in: 2) { rows.link(stop, tag: tag) }
    }
  }

  private mutating func stopValues() -> [String: StoreValue] {
    let bytes: [Data] = [Data(), Data([0]), Data([0, 255]), Data([1])]
    return [
      "identifier": random.pick([integer(in: -1...2), .integer(.max), .integer(.min)]),
      "latitude": random.pick([.double(0.5), .double(1), .double(-0.0), .null, .double(.infinity)]),
      "longitude": random.pick([.double(0.5), .double(2), .double(.nan), .double(1e300)]),
      "name": string(), "normalizedName": string(),
      "isOpen": random.pick([.bool(true), .bool(false), .null]),
      "opened": random.pick([.date(Date(timeIntervalSinceReferenceDate: 0.1)), .null]),
      "key": random.pick([.uuid(Self.key), .null]),
      "image": random.pick([.data(random.pick(bytes)), .null]),
      "page": random.pick([Self.page.map { .url($0) } ?? .null, .null]),
    ]
  }

  private static let key = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6))
  private static let page = URL(string: "https://a.org/b%20c?d")

  private mutating func integer(in range: ClosedRange<Int64>) -> StoreValue {
    random.once(in: 5) ? .null : .integer(.random(in: range, using: &random))
  }

  private mutating func string() -> StoreValue {
    random.once(in: 6) ? .null : .string(random.pick(Self.strings))
  }

  // MARK: - Predicates

  mutating func predicate(depth: Int = 3) -> FetchPredicate {
    guard depth > 0 else { return leaf(of: nil) }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .and(list(depth))
    case 1: return .or(list(depth))
    case 2: return .not(predicate(depth: depth - 1))
    case 3 where random.once(in: 4): return .always(random.once(in: 2))
    case 4: return subquery(depth)
    default: return leaf(of: nil)
    }
  }

  private mutating func list(_ depth: Int) -> [FetchPredicate] {
    (0..<Int.random(in: 2...3, using: &random)).map { _ in predicate(depth: depth - 1) }
  }

  /// A comparison of properties of the stop, or of the stop time named by a variable.
  private mutating func leaf(of variable: String?) -> FetchPredicate {
    func path(_ name: String) -> FetchPredicate.Expression {
      .path(.init(name.split(separator: ".").map(String.init), variable: variable))
    }
    let isStop = variable == nil
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1:
      let names =
        isStop
        ? ["identifier", "latitude", "longitude", "isOpen"]
        : ["departureTime", "stop.identifier", "stop.latitude"]
      return number(path(random.pick(names)))
    case 2, 3, 4:
      let names = isStop ? ["name", "normalizedName", "page"] : ["headsign", "stop.name"]
      return string(path(random.pick(names)))
    case 5 where isStop: return random.once(in: 3) ? other() : aggregate()
    case 6 where isStop: return any()
    case 7 where isStop: return relation(path("name"), .equal, path("normalizedName"))
    case 7: return relation(path("headsign"), .equal, .path(.init(["name"])))
    default:
      let id = ManagedObjectID(
        entityName: "Stop", primaryKey: .random(in: 1...6, using: &random), storeUUID: "S")
      let value: StoreValue = random.once(in: 4) ? .null : .object(id)
      return relation(
        path(isStop ? "" : "stop"), random.pick([.equal, .notEqual]), .constant(value))
    }
  }

  private mutating func relation(
    _ left: FetchPredicate.Expression, _ comparator: FetchPredicate.Comparator,
    _ right: FetchPredicate.Expression, options: FetchPredicate.StringOptions = []
  ) -> FetchPredicate {
    let isReversible = [.equal, .notEqual, .less, .greaterOrEqual].contains(comparator)
    return random.once(in: 4) && isReversible
      ? .comparison(.init(right, comparator, left, options: options))
      : .comparison(.init(left, comparator, right, options: options))
  }

  private mutating func number(_ property: FetchPredicate.Expression) -> FetchPredicate {
    let left = random.once(in: 2) ? computed(property, depth: 2) : property
    func constant() -> FetchPredicate.Expression { .constant(random.pick(Self.numbers)) }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return relation(left, .between, .list([constant(), constant()]))
    case 1: return relation(left, .isIn, .list(constants(Self.numbers)))
    default:
      return relation(
        left, random.pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]),
        constant())
    }
  }

  /// Seldom so many that they are bound as one.
  private mutating func constants(_ values: [StoreValue]) -> [FetchPredicate.Expression] {
    let count = random.once(in: 10) ? 50 : Int.random(in: 0...3, using: &random)
    return (0..<count).map { _ in .constant(random.pick(values)) }
  }

  private mutating func string(_ property: FetchPredicate.Expression) -> FetchPredicate {
    let left =
      random.once(in: 5)
      ? .function(random.pick(["uppercase:", "lowercase:", "canonical:", "noindex:"]), [property])
      : property
    let options = random.pick(
      [
        [], [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        .normalized, .localeSensitive, [.caseInsensitive, .localeSensitive],
      ] as [FetchPredicate.StringOptions])
    let values = Self.strings.map { StoreValue.string($0) } + [.null]
    let right = FetchPredicate.Expression.constant(random.pick(values))
    switch Int.random(in: 0..<9, using: &random) {
    case 8:
      return .comparison(
        .init(
          left, .matches, .constant(.string(random.pick(Self.expressions))),
          options: options.subtracting(.localeSensitive)))
    case 0: return relation(left, .isIn, .list(constants(values)), options: options)
    case 1:
      return relation(
        left, .between, .list([right, .constant(random.pick(values))]), options: options)
    case 2, 3, 4, 5:
      return relation(
        left, random.pick([.beginsWith, .contains, .endsWith, .like]), right, options: options)
    default:
      return relation(
        left, random.pick([.equal, .notEqual, .less, .greaterOrEqual]), right, options: options)
    }
  }

  private mutating func other() -> FetchPredicate {
    let (name, value): (String, StoreValue) = random.pick([
      ("opened", .date(Date(timeIntervalSinceReferenceDate: 0.1))),
      ("opened", .date(Date(timeIntervalSinceReferenceDate: .nan))), ("key", .uuid(Self.key)),
      ("image", .data(Data([0]))), ("image", .null),
      ("page", Self.page.map { .url($0) } ?? .null),
    ])
    return relation(
      .path(.init([name])), random.pick([.equal, .notEqual, .less, .greaterOrEqual]),
      .constant(value))
  }

  private mutating func any() -> FetchPredicate {
    let left = FetchPredicate.Expression.path(
      .init(random.pick([["stopTimes", "headsign"], ["tags", "title"]])))
    let predicate: FetchPredicate
    switch Int.random(in: 0..<4, using: &random) {
    case 0: predicate = number(.path(.init(["stopTimes", "departureTime"])))
    case 1:
      predicate = .comparison(
        .init(left, random.pick([.equal, .notEqual]), .constant(.null)))
    case 2: predicate = string(.path(.init(["tags", "stops", "name"])))
    default: predicate = string(left)
    }
    guard case .comparison(var comparison) = predicate, !comparison.left.isConstant else {
      return .always(true)
    }
    comparison.quantifier = random.once(in: 3) ? .all : .any
    return .comparison(comparison)
  }

  /// `stopTimes.@max.departureTime`, and the same over objects that match a condition.
  private mutating func aggregate() -> FetchPredicate {
    if random.once(in: 3) {
      let (collection, property) = random.pick([("stopTimes", "headsign"), ("tags", "title")])
      return string(
        .collection(
          random.pick([.min, .max]), of: .path(.init([collection])), property: [property]))
    }
    let base: FetchPredicate.Expression =
      random.once(in: 2)
      ? .path(.init(["stopTimes"]))
      : .subquery(.init(.init(["stopTimes"]), variable: "x", where: leaf(of: "x")))
    return number(
      .collection(
        random.pick([.min, .max, .sum, .avg]), of: base, property: ["departureTime"]))
  }

  static let expressions = [
    "", "a", "a.*", "[aá]b?", ".*", "A|SS", "\\w+", "ö", "o\u{308}", "(?i)ab", "..", ".*b",
    "\\Qa?b*\\E", "\\Qa", "(?x)a b # c", "(.)\\1?b", "[^a]*", "\\p{Lu}.*",
  ]

  /// Arithmetic of small depth over a number.
  private mutating func computed(
    _ operand: FetchPredicate.Expression, depth: Int
  ) -> FetchPredicate.Expression {
    guard depth > 0 else {
      return random.once(in: 2) ? operand : .constant(random.pick(Self.numbers))
    }
    func part(_ random: inout SeededGenerator) -> Int { Int.random(in: 0..<2, using: &random) }
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1, 2:
      return .arithmetic(
        random.pick([.add, .subtract, .multiply, .divide, .power]),
        computed(operand, depth: depth - 1), computed(operand, depth: random.once(in: 2) ? 0 : 1))
    case 3:
      return .function(
        random.pick([
          "sqrt:", "log:", "ln:", "exp:", "abs:", "floor:", "ceiling:", "trunc:",
          "onesComplement:", "noindex:",
        ]), [computed(operand, depth: depth - 1)])
    case 4:
      return .function(
        random.pick([
          "modulus:by:", "add:to:", "from:subtract:", "bitwiseAnd:with:", "bitwiseOr:with:",
          "bitwiseXor:with:", "leftshift:by:", "rightshift:by:", "raise:toPower:",
        ]),
        [computed(operand, depth: depth - 1), computed(operand, depth: random.once(in: 2) ? 0 : 1)])
    default:
      let list = (0...Int.random(in: 0...3, using: &random)).map { _ in computed(operand, depth: 0)
      }
      return .function(
        random.pick(["sum:", "average:", "min:", "max:", "median:", "mode:", "stddev:"]),
        [.list(list)])
    }
  }

  private mutating func subquery(_ depth: Int) -> FetchPredicate {
    let count: FetchPredicate.Expression
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      count = .collection(
        .count, of: .path(.init([random.pick(["stopTimes", "tags"])])), property: [])
    default:
      let terms = (0..<Int.random(in: 1...2, using: &random)).map { _ in leaf(of: "x") }
      let inner: FetchPredicate =
        terms.count == 1 ? terms[0] : random.once(in: 2) ? .and(terms) : .or(terms)
      count = .collection(
        .count,
        of: .subquery(
          .init(
            .init(["stopTimes"]), variable: "x", where: random.once(in: 4) ? .not(inner) : inner)),
        property: [])
    }
    return relation(
      count, random.pick([.equal, .notEqual, .less, .greaterOrEqual]),
      .constant(.integer(.random(in: 0...2, using: &random))))
  }
}

extension FetchPredicate.Expression {
  /// Whether it names no property.
  fileprivate var isConstant: Bool {
    switch self {
    case .path, .collection, .subquery: false
    case .constant: true
    case .list(let elements): elements.allSatisfy(\.isConstant)
    case .arithmetic(_, let left, let right): left.isConstant && right.isConstant
    case .function(_, let arguments): arguments.allSatisfy(\.isConstant)
    }
  }
}
