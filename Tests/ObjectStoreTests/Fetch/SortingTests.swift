// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreFunctions
import StoreInstruments
import TestSupport
import Testing

@testable import ObjectStore

/// A text that may be nil, and a number that distinguishes equal texts.
struct Word: Entity {
  let text = Attribute<String?>("text")
  let rank = Attribute<Int>("rank")
  static let indexes: [Index<Word>] = [Index(\.text)]
}

@Suite struct SortingTests {
  private func store(_ words: [String?], locale: String = "de_DE") throws -> StoreFixture {
    var options = StoreOptions()
    options.locale = locale
    let fixture = try StoreFixture([Word.self], options: options)
    insert(words, into: fixture)
    try fixture.context.save()
    fixture.observer.removeAll()
    return fixture
  }

  private func insert(_ words: [String?], into fixture: StoreFixture, from first: Int = 0) {
    for (index, text) in words.enumerated() {
      let word = fixture.context.insert(Word.self)
      word.text = text
      word.rank = first + index
    }
  }

  @Test(arguments: [
    (SortTerm.Comparator.binary, "", "10 9 Apfel Zug apfel Äpfel"),
    (.caseInsensitive, " COLLATE NSCollateNoCase ", "10 9 Apfel apfel Äpfel Zug"),
    (.localized, " COLLATE NSCollateLocaleSensitive ", "10 9 apfel Apfel Äpfel Zug"),
    (
      .localizedCaseInsensitive, " COLLATE NSCollateLocaleSensitiveNoCase ",
      "10 9 Apfel apfel Äpfel Zug"
    ),
    (.localizedStandard, " COLLATE NSCollateFinderlike ", "9 10 apfel Apfel Äpfel Zug"),
  ])
  func sortsByAComparator(
    _ comparator: SortTerm.Comparator, _ collation: String, _ sorted: String
  ) throws {
    let fixture = try store(["Zug", "Äpfel", "Apfel", "10", "apfel", "9"])
    var request = FetchRequest<Word>()
    request.sortDescriptors = [
      SortDescriptor(\.text, comparator: comparator), SortDescriptor(\.rank),
    ]
    #expect(
      try fixture.context.fetch(request).compactMap(\.text).joined(separator: " ") == sorted)
    #expect(
      fixture.observer.sql == [
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZRANK, t0.ZTEXT FROM ZWORD t0 "
          + "ORDER BY t0.ZTEXT\(collation), t0.ZRANK"
      ])
    // A plain index serves the plain order of the first term only.
    let details = fixture.observer.plans[fixture.observer.sql[0]]?.map(\.detail).joined() ?? ""
    #expect(details.contains("USE TEMP B-TREE FOR ORDER BY") == (comparator != .binary))
  }

  @Test func sortsDescendingWithNilLast() throws {
    let fixture = try store(["a", nil, "ä", "B"])
    var request = FetchRequest<Word>()
    request.sortDescriptors = [
      SortDescriptor("text", comparator: .localizedCaseInsensitive, ascending: false)
    ]
    request.fetchLimit = 4
    #expect(try fixture.context.fetch(request).map(\.text) == ["B", "ä", "a", nil])
    #expect(
      fixture.observer.sql[0].hasSuffix(
        "ORDER BY t0.ZTEXT COLLATE NSCollateLocaleSensitiveNoCase DESC LIMIT 4"))
  }

  @Test(arguments: [("sv_SE", "a o z ä ö"), ("de_DE", "a ä o ö z"), ("", "a ä o ö z")])
  func followsTheLanguageOfTheStore(_ locale: String, _ sorted: String) throws {
    let fixture = try store(["ö", "z", "a", "ä", "o"], locale: locale)
    var request = FetchRequest<Word>()
    request.sortDescriptors = [SortDescriptor(\.text, comparator: .localized)]
    #expect(
      try fixture.context.fetch(request).compactMap(\.text).joined(separator: " ") == sorted)
  }

  @Test func refusesATextComparatorForOtherTypes() throws {
    let fixture = try store([])
    var request = FetchRequest<Word>()
    request.sortDescriptors = [SortDescriptor("rank", comparator: .localized)]
    #expect(throws: FetchPredicateError.self) { try fixture.context.fetch(request) }
  }

  @Test func readsTheLanguageOfTheEnvironment() {
    func locale(_ variables: [String: String]) -> String {
      EnvironmentLocale.identifier { variables[$0] }
    }
    #expect(locale(["LANG": "de_DE.UTF-8"]) == "de_DE")
    #expect(locale(["LANG": "de_DE", "LC_COLLATE": "sv_SE@euro", "LC_ALL": ""]) == "sv_SE")
    #expect(locale(["LANG": "de_DE", "LC_ALL": "C.UTF-8"]) == "")
    #expect(locale([:]) == "")
  }

  /// The order of unsaved objects is the order that SQLite returns once they are saved.
  @Test(arguments: SortTerm.Comparator.allCases)
  func sortsInMemoryAsInSQL(_ comparator: SortTerm.Comparator) throws {
    var random = TestSupport.SeededGenerator(seed: 11)
    for locale in ["de_DE", "sv_SE", "ja_JP"] {
      let fixture = try store((0..<60).map { _ in randomText(&random) }, locale: locale)
      for ascending in [true, false] {
        var request = FetchRequest<Word>()
        request.sortDescriptors = [
          SortDescriptor(\.text, comparator: comparator, ascending: ascending),
          SortDescriptor(\.rank),
        ]
        for word in try fixture.context.fetch(request) where word.rank.isMultiple(of: 2) {
          word.text = randomText(&random)
        }
        let count = try fixture.context.count(request)
        insert((0..<30).map { _ in randomText(&random) }, into: fixture, from: count)
        let inMemory = try fixture.context.fetch(request).map(\.rank)
        try fixture.context.save()
        let other = fixture.container.newBackgroundContext()
        let inSQL = try withExtendedLifetime(other) { try other.fetch(request).map(\.rank) }
        #expect(inMemory.count == count + 30)
        #expect(inMemory == inSQL, "\(locale)")
      }
    }
  }

  @Test(arguments: SortTerm.Comparator.allCases)
  func ordersKeysAsTheirStrings(_ comparator: SortTerm.Comparator) {
    var random = TestSupport.SeededGenerator(seed: 12)
    let long = String(repeating: "Ångström ", count: 100)
    for locale in ["", "sv_SE", "ja_JP"] {
      let order = TextOrder(comparator, locale: locale)
      let texts = (0..<200).compactMap { _ in randomText(&random) } + [long, long + "a"]
      for (a, b) in zip(texts, texts.shuffled(using: &random)) {
        let (left, right) = (
          a.sortKey(comparator, locale: locale), b.sortKey(comparator, locale: locale)
        )
        let byKey = left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
        #expect(byKey == order.order(a, b).signum(), "\(a) \(b)")
      }
    }
  }

  private static let letters = [
    "a", "A", "ä", "a\u{308}", "Ä", "å", "e", "é", "E\u{301}", "z", "Z", "ß", "ss", "SS", "ö", "o",
    "1", "9", "10", "09", "-", " ", ".", "Σ", "ς", "σ", "ı", "İ", "い", "イ", "ー", "日", "本",
    "\u{301}",
    "\u{323}", "👩‍👩‍👧", "\0", "\u{FFFF}", "\u{10FFFF}", "ﬁ", "fi",
  ]

  private func randomText(_ random: inout TestSupport.SeededGenerator) -> String? {
    let count = Int.random(in: -1...4, using: &random)
    guard count >= 0 else { return nil }
    return (0..<count).map { _ in
      Self.letters[Int.random(in: 0..<Self.letters.count, using: &random)]
    }.joined()
  }
}
