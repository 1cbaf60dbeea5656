// SPDX-License-Identifier: Apache-2.0

/// Invents names such as "Åström, Elin" or "de la Cruz, Zoë"; the same seed makes the same names.
///
/// Every family name is combined with every given name once, in an order that a stride shuffles: no
/// name is repeated until all are used.
struct RecordNames: Sequence, IteratorProtocol {
  private var place: Int
  private var left: Int

  private static var count: Int { families.count * givenNames.count }
  // A prime, and so without a divisor in common with the count.
  private static let stride = 7_919

  init(seed: Int) {
    place = seed % Self.count
    left = Self.count
  }

  /// The number of names.
  static var limit: Int { count }

  mutating func next() -> String? {
    guard left > 0 else { return nil }
    left -= 1
    place = (place + Self.stride) % Self.count
    let (family, given) = place.quotientAndRemainder(dividingBy: Self.givenNames.count)
    return "\(Self.families[family]), \(Self.givenNames[given])"
  }

  private static let families = [
    "Aaltonen", "Abe", "Ågren", "Álvarez", "Åström", "al-Masri", "Bäcker", "Bērziņš", "Björk",
    "Bøe", "Çelik", "Černý", "Chávez", "d'Angelo", "D'Arcy", "de la Cruz", "De Luca", "Dębski",
    "Díaz", "Dvořák", "Eşref", "Étienne", "Fàbregas", "Fischer", "Ferreira", "Gärtner", "Gómez",
    "Győri", "Hämäläinen", "Hoàng", "Horváth", "Ibáñez", "İnan", "Ito", "Jónsdóttir", "Jørgensen",
    "Kowalska", "Křížek", "Łukasz", "Lê", "Lindström", "MacDonald", "macgregor", "Mårtensson",
    "McKenzie", "Müller", "Mueller", "Muñoz", "Nagy", "Nguyễn", "Ní Bhriain", "Novák", "O'Brien",
    "Óladóttir", "Øster", "Öztürk", "ÖZDEMİR", "Papadopoulos", "Peña", "Pérez", "Quiñones",
    "Rønning", "Řezníček", "Šimić", "Søndergaard", "Strauß", "Strauss", "Świątek", "Takács",
    "Țepeș", "Tremblay", "Ünal", "Urbański", "van den Berg", "Van Dijk", "von Weizsäcker",
    "Vytautas", "Wałęsa", "Weiß", "Xu", "Yıldız", "Youssef", "Zając", "Žukauskas", "Παππάς",
    "Иванова", "Щербаков",
  ]

  private static let givenNames = [
    "Aña", "Ádám", "Agnès", "Björn", "Chloé", "Đorđe", "Elin", "Émile", "Fátima", "Gísli",
    "Håkon", "Inês", "Ivan", "Jörg", "José", "Kübra", "László", "Łucja", "Maëlle", "Nikos",
    "Noël", "Ole", "Óscar", "Paweł", "René", "Søren", "Siân", "Thảo", "Ülle", "Váli", "Wanda",
    "Ximena", "Yasmín", "Zoë", "Žofia", "anna",
  ]
}
