// SPDX-License-Identifier: Apache-2.0

/// Types: `integer { size = 32; }`, `struct { … }`, `enum : uint5_t { … }`, or by name.
extension TSDLParser {
  mutating func type() throws(TSDLError) -> TSDLType {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maxDepth else { throw unexpected("fewer types within types") }
    guard case .word(let word) = token else { throw unexpected("a type") }
    switch word {
    case "integer":
      try advance()
      return .integer(try integer())
    case "floating_point":
      try advance()
      let fields = try fields(of: word)
      guard let exponent = fields.numbers["exp_dig"], let mantissa = fields.numbers["mant_dig"],
        (1...64).contains(exponent), (1...64).contains(mantissa)
      else { throw unexpected("the size of a number") }
      return .opaque(bits: exponent + mantissa, align: fields.numbers["align"] ?? 1)
    case "string":
      try advance()
      if token == .symbol(UInt8(ascii: "{")) { _ = try fields(of: word) }
      return .string
    case "struct":
      try advance()
      return try named("struct") { parser throws(TSDLError) in .structure(try parser.members()) }
    case "variant":
      try advance()
      return try variant()
    case "enum":
      try advance()
      return try named("enum") { parser throws(TSDLError) in .integer(try parser.enumeration()) }
    default:
      let name = try words(butLast: true).joined(separator: " ")
      guard let type = known(name) else { throw unexpected("a known type before it") }
      return type
    }
  }

  /// A type with a name, a body, or both: `struct packet_context { … } align(8)`.
  private mutating func named(
    _ kind: String, _ body: (inout Self) throws(TSDLError) -> TSDLType
  ) throws(TSDLError) -> TSDLType {
    var name: String?
    if case .word(let word) = token {
      name = "\(kind) \(word)"
      try advance()
    }
    guard token == .symbol(UInt8(ascii: "{")) || token == .symbol(UInt8(ascii: ":")) else {
      guard let name, let type = known(name) else { throw unexpected("a known '\(kind)'") }
      return type
    }
    let type = try body(&self)
    if case .word("align") = token {
      try advance()
      try expect("(")
      // More than the members' own would be room between them.
      guard try number() <= 8 else { throw .foreign("a structure is aligned to several bytes") }
      try expect(")")
    }
    if let name { try declare(name, type) }
    return type
  }

  private mutating func variant() throws(TSDLError) -> TSDLType {
    if case .word = token { throw .foreign("a variant has a name") }
    try expect("<")
    let tag = try path()
    try expect(">")
    return .variant(tag: tag, try members())
  }

  private mutating func members() throws(TSDLError) -> [TSDLMember] {
    try expect("{")
    scopes.append([:])
    defer { scopes.removeLast() }
    var members: [TSDLMember] = []
    var names: Set<String> = []
    while try !consume("}") {
      let type = try type()
      repeat {
        let member = try member(of: type)
        guard names.insert(member.name).inserted else {
          throw failure("a structure has two members '\(member.name)'")
        }
        members.append(member)
      } while try consume(",")
      try expect(";")
    }
    return members
  }

  /// Reads `_pk` or `_values[_length]`.
  private mutating func member(of type: TSDLType) throws(TSDLError) -> TSDLMember {
    guard case .word(let word) = token, !TSDLLexer.reservedWords.contains(word),
      known(word) == nil
    else { throw unexpected("a member's name") }
    try advance()
    var dimensions: [(count: UInt64?, length: String)] = []
    while try consume("[") {
      guard dimensions.count < Self.maxDepth else { throw unexpected("fewer dimensions") }
      if case .number = token {
        dimensions.append((try number(), ""))
      } else {
        dimensions.append((nil, Self.name(try path())))
      }
      try expect("]")
    }
    var type = type
    for (count, length) in dimensions.reversed() {
      // 2^31 is arbitrary: no packet is that long.
      guard count ?? 0 < 1 << 31 else { throw unexpected("a shorter array") }
      type = count.map { .array(type, count: Int($0)) } ?? .sequence(type, length: length)
    }
    return TSDLMember(name: Self.name(word), type: type)
  }

  private static func name(_ word: String) -> String {
    word.hasPrefix("_") ? String(word.dropFirst()) : word
  }

  private mutating func integer() throws(TSDLError) -> TSDLInteger {
    let fields = try fields(of: "integer")
    var integer = TSDLInteger()
    integer.bits = fields.numbers["size"] ?? 0
    // An alignment that is not given is that of a byte for whole bytes.
    integer.align = fields.numbers["align"] ?? (integer.bits % 8 == 0 ? 8 : 1)
    guard (1...64).contains(integer.bits), integer.align > 0 else {
      throw unexpected("an integer of 1 to 64 bits")
    }
    integer.isSigned =
      fields.numbers["signed"] ?? 0 != 0
      || fields.texts["signed"].map(TSDLAttribute.truths.contains) == true
    switch fields.texts["byte_order"] {
    case "be", "network": integer.isBigEndian = true
    case "le": integer.isBigEndian = false
    default: break
    }
    integer.isText = fields.texts["encoding"].map(TSDLAttribute.texts.contains) == true
    // As with babeltrace2, a path of another form is none.
    let path = fields.texts["map"]?.split(separator: ".", omittingEmptySubsequences: false) ?? []
    if path.count == 3, path[0] == "clock", path[2] == "value" {
      guard clocks.contains(String(path[1])) else { throw unexpected("a known clock") }
      integer.isClock = true
    }
    return integer
  }

  /// Reads ` : uint5_t { compact = 0 ... 30, extended = 31 }`.
  private mutating func enumeration() throws(TSDLError) -> TSDLInteger {
    guard try consume(":") else { throw .foreign("an enumeration has no type") }
    guard case .integer(var integer) = try type() else { throw unexpected("an integer") }
    try expect("{")
    repeat {
      let label = try label()
      if try consume("=") {
        let first = try signed()
        if token == .ellipsis {
          try advance()
          guard try signed() >= first else { throw unexpected("a range") }
        }
        integer.labels[label] = UInt64(truncatingIfNeeded: first)
      }
    } while try consume(",") && token != .symbol(UInt8(ascii: "}"))
    try expect("}")
    return integer
  }

  private mutating func label() throws(TSDLError) -> String {
    switch token {
    case .word(let text), .text(let text):
      try advance()
      return text
    default: throw unexpected("a label")
    }
  }

  /// Reads `{ size = 32; align = 8; … }`.
  private mutating func fields(of kind: String) throws(TSDLError) -> TSDLBlock {
    var block = TSDLBlock(kind: kind)
    try attributes(of: &block)
    return block
  }
}
