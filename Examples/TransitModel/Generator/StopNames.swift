// SPDX-License-Identifier: Apache-2.0

/// Invents names of stops, such as "S Lindenbrücke (Berlin)" or "Tram Falkenstr./Amselweg (Berlin)".
struct StopNames {
  private var used: Set<String> = []

  /// Makes a name that it has not returned before.
  mutating func next(using random: inout SplitMix64) -> String {
    for attempt in 1... {
      let name = Self.candidate(isCorner: attempt > 2, using: &random)
      // After some attempts a number makes the name unique, as "Siedlung 2" in real timetables.
      let numbered = attempt > 20 ? "\(name) \(attempt)" : name
      if used.insert(numbered).inserted { return numbered }
    }
    return ""
  }

  private static func candidate(isCorner: Bool, using random: inout SplitMix64) -> String {
    let line = lines[random.index(below: lines.count)]
    let place = street(using: &random)
    let corner = isCorner || random.index(below: 3) == 0 ? "/" + street(using: &random) : ""
    let district = districts[random.index(below: districts.count)]
    return "\(line)\(place)\(corner) (\(district))"
  }

  private static func street(using random: inout SplitMix64) -> String {
    stems[random.index(below: stems.count)] + endings[random.index(below: endings.count)]
  }

  // Buses have most stops; a name without a line is a plain bus stop too.
  private static let lines = [
    "U ", "S ", "S+U ", "Tram ", "Tram ", "Bus ", "Bus ", "", "", "", "", "",
  ]

  private static let districts = [
    "Berlin", "Berlin", "Berlin", "Berlin", "Berlin", "Berlin", "Berlin", "Potsdam", "Bernau",
    "Königs Wusterhausen", "Teltow", "Falkensee",
  ]

  private static let stems = [
    "Ahorn", "Amsel", "Apfel", "Bären", "Berg", "Birken", "Blumen", "Brücken", "Buchen", "Burg",
    "Damm", "Dorf", "Drossel", "Eber", "Eichen", "Elster", "Erlen", "Falken", "Färber", "Feld",
    "Fichten", "Fischer", "Flieder", "Förster", "Frieden", "Garten", "Gärtner", "Glocken",
    "Görlitz",
    "Graben", "Grün", "Hafen", "Hasel", "Heide", "Hirsch", "Höhen", "Holz", "Hügel", "Insel",
    "Jäger",
    "Kanal", "Kastanien", "Kiefern", "Kirch", "Klee", "König", "Korn", "Krähen", "Kranich",
    "Kupfer",
    "Lerchen", "Licht", "Linden", "Löwen", "Markt", "Maß", "Meisen", "Mond", "Möwen", "Mühlen",
    "Müller", "Nelken", "Nord", "Nuss", "Obst", "Ost", "Pappel", "Pfau", "Platanen", "Post",
    "Quell",
    "Rathaus", "Reiher", "Ritter", "Röntgen", "Rosen", "Ross", "Rüdiger", "Sand", "Schäfer",
    "Schiffer", "Schloss", "Schmiede", "Schul", "Schwalben", "Schwanen", "See", "Silber", "Sommer",
    "Sonnen", "Spree", "Stein", "Stern", "Storch", "Süd", "Tannen", "Tauben", "Tor", "Tulpen",
    "Turm",
    "Über", "Ufer", "Ulmen", "Veilchen", "Vogel", "Wald", "Wasser", "Weiden", "Weiß", "Werk",
    "West",
    "Wiesen", "Winkel", "Winter", "Wolf", "Zeder", "Ziegel", "Zimmer", "Zoll",
  ]

  private static let endings = [
    "str.", "str.", "str.", "straße", "weg", "weg", "platz", "allee", "damm", "brücke", "ufer",
    "park",
    "tor", "hof", "siedlung", "zeile", "ring", "steig", "graben", "chaussee",
  ]
}
