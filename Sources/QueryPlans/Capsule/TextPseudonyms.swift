// SPDX-License-Identifier: Apache-2.0

/// Texts by their rank between the unchanged ones, and dates by a shift.
struct TextPseudonyms {
  private(set) var map: [String: String] = [:]

  init() {}

  init(of values: Set<String>, keeping kept: Set<String>) {
    var anchors = [("", "")] + kept.filter { !$0.isEmpty }.map { ($0, $0) }
    let dates = ShiftedDates.map(of: values.subtracting(kept))
    let dated = (anchors + dates.map { ($0.key, $0.value) }).sorted { Self.precedes($0.0, $1.0) }
    // Otherwise a date of the schema is between them, and they are ranked as other texts are.
    let isOrdered = zip(dated, dated.dropFirst()).allSatisfy { Self.precedes($0.1, $1.1) }
    anchors = isOrdered ? dated : anchors.sorted { Self.precedes($0.0, $1.0) }
    for (text, pseudonym) in anchors { map[text] = pseudonym }
    var rest = values.filter { map[$0] == nil }.sorted(by: Self.precedes)[...]
    for (index, anchor) in anchors.enumerated() {
      let next = index + 1 < anchors.count ? anchors[index + 1] : nil
      let gap = rest.prefix { text in next.map { Self.precedes(text, $0.0) } ?? true }
      rest = rest.dropFirst(gap.count)
      assignPseudonyms(to: gap, after: anchor.1, before: next?.1)
    }
  }

  /// The unchanged text, then letters by rank; a space sorts before any character that continues
  /// another text.
  private mutating func assignPseudonyms(
    to texts: ArraySlice<String>, after low: String, before high: String?
  ) {
    var width = 1
    var count = 26
    while count < texts.count { (width, count) = (width + 1, count * 26) }
    for (rank, text) in texts.enumerated() {
      var letters: [UInt8] = []
      var number = rank
      for _ in 0..<width {
        letters.insert(UInt8(ascii: "a") + UInt8(number % 26), at: 0)
        number /= 26
      }
      let stem = low + (high == nil && low.isEmpty ? "" : " ")
      var pseudonym = stem + String(decoding: letters, as: UTF8.self)
      let padding = LengthClass.minLength(text.utf8.count) - pseudonym.utf8.count
      if padding > 0 { pseudonym += String(repeating: ".", count: padding) }
      if high.map({ Self.precedes(pseudonym, $0) }) ?? true { map[text] = pseudonym }
    }
  }

  private static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }
}

/// Texts that begin with a date, moved so that the first day becomes one of the year 3000.
private enum ShiftedDates {
  static func map(of texts: Set<String>) -> [String: String] {
    let dates = texts.compactMap { text in Date(text).map { (text, $0) } }
    guard let first = dates.map(\.1.days).min(),
      let base = Date("3000-01-01")?.days
    else { return [:] }
    var map: [String: String] = [:]
    for (text, date) in dates { map[text] = date.moved(by: base - first) }
    return map
  }

  /// `2026-11-28`, alone or before a time of day.
  private struct Date {
    var days: Int
    /// In milliseconds; nil without one.
    private var time: Int?
    private var separator: Character = " "
    private var suffix = ""

    init?(_ text: String) {
      let bytes = Array(text.utf8)
      guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
        let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
        let day = Self.number(bytes[8..<10]), (1...12).contains(month), (1...31).contains(day)
      else { return nil }
      days = Self.days(year, month, day)
      guard bytes.count > 10 else { return }
      guard bytes.count >= 19, [UInt8(ascii: " "), UInt8(ascii: "T")].contains(bytes[10]),
        bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
        let hour = Self.number(bytes[11..<13]), let minute = Self.number(bytes[14..<16]),
        let second = Self.number(bytes[17..<19])
      else { return nil }
      separator = Character(UnicodeScalar(bytes[10]))
      time = (hour * 60 + minute) * 60 + second
      // Fractions and zones stay, of which an ISO date has few.
      suffix = String(decoding: bytes[19...], as: UTF8.self)
      guard suffix.isEmpty || suffix == "Z" else { return nil }
    }

    func moved(by shift: Int) -> String {
      let date = Self.text(days + shift)
      guard let time else { return date }
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      return
        "\(date)\(separator)\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60))\(suffix)"
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
      digits.allSatisfy { (0x30...0x39).contains($0) }
        ? digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } : nil
    }

    // See <https://howardhinnant.github.io/date_algorithms.html>.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
      let year = month <= 2 ? year - 1 : year
      let era = year / 400
      let ofEra = year - era * 400
      let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
      return era * 146097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear
    }

    private static func text(_ days: Int) -> String {
      let era = days / 146097
      let ofEra = days - era * 146097
      let year = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146096) / 365
      let ofYear = ofEra - (365 * year + year / 4 - year / 100)
      let part = (5 * ofYear + 2) / 153
      let day = ofYear - (153 * part + 2) / 5 + 1
      let month = part + (part < 10 ? 3 : -9)
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      return "\(year + era * 400 + (month <= 2 ? 1 : 0))-\(two(month))-\(two(day))"
    }
  }
}
