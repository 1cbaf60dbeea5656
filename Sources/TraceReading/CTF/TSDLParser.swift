// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A type that metadata describes.
indirect enum TSDLType {
  case integer(TSDLInteger)
  case string
  /// A type with a fixed size in bits, such as a floating-point number.
  case opaque(bits: Int, align: Int)
  case structure([TSDLMember])
  case array(TSDLType, count: Int)
  /// Its length is the value of a member before it.
  case sequence(TSDLType, length: String)
  case variant(tag: String, [TSDLMember])
}

/// A member of a structure, without the underscore that LTTng puts before its name.
struct TSDLMember {
  let name: String
  let type: TSDLType
}

/// An integer, or an enumeration, which is an integer with labels for its values.
struct TSDLInteger {
  var bits = 0
  var align = 1
  var isSigned = false
  /// `nil` for the byte order of the trace.
  var isBigEndian: Bool?
  var isText = false
  /// Whether it is mapped to a clock.
  var isClock = false
  /// The first value of each label.
  var labels: [String: UInt64] = [:]
}

/// A block: `event { name = "a:b"; id = 0; fields := struct { … }; };`.
struct TSDLBlock {
  var kind: String
  var numbers: [String: Int] = [:]
  /// Also for words: `byte_order = le`.
  var texts: [String: String] = [:]
  var types: [String: TSDLType] = [:]

  func has(_ key: String) -> Bool {
    numbers[key] != nil || texts[key] != nil || types[key] != nil
  }
}

/// Reads the blocks of metadata as LTTng writes it.
struct TSDLParser {
  private var lexer: TSDLLexer
  private var token = TSDLLexer.Token.end
  /// The types by name, of the blocks and structures that are open.
  private var scopes: [[String: TSDLType]] = [[:]]
  private var clocks: Set<String> = []
  private var depth = 0

  // LTTng's structures are four deep; 32 is arbitrary.
  private static let maxDepth = 32

  static func blocks(_ text: [UInt8]) throws(TSDLError) -> [TSDLBlock] {
    var parser = TSDLParser(lexer: TSDLLexer(text))
    try parser.advance()
    var blocks: [TSDLBlock] = []
    while parser.token != .end { if let block = try parser.block() { blocks.append(block) } }
    return blocks
  }

  private init(lexer: TSDLLexer) { self.lexer = lexer }

  private mutating func block() throws(TSDLError) -> TSDLBlock? {
    if try take(";") { return nil }
    guard case .word(let kind) = token else { throw unexpected("a block") }
    switch kind {
    case "typealias":
      try typealiased()
      return nil
    case "struct", "enum", "variant":
      _ = try type()
      try expect(";")
      return nil
    case "trace", "env", "clock", "stream", "event", "callsite":
      try advance()
      var block = TSDLBlock(kind: kind)
      scopes.append([:])
      try attributes(of: &block)
      scopes.removeLast()
      try expect(";")
      if kind == "clock" {
        guard let name = block.texts["name"] else { throw unexpected("a clock's name") }
        clocks.insert(name)
      }
      return block
    default: throw unexpected("a block")
    }
  }

  private mutating func typealiased() throws(TSDLError) {
    try advance()
    let aliased = try type()
    guard token == .assignment else { throw unexpected("':='") }
    try advance()
    try declare(try words().joined(separator: " "), aliased)
    try expect(";")
  }

  private mutating func declare(_ name: String, _ type: TSDLType) throws(TSDLError) {
    guard scopes[scopes.count - 1].updateValue(type, forKey: name) == nil else {
      throw failure("'\(name)' is there twice")
    }
  }

  private func known(_ name: String) -> TSDLType? {
    scopes.reversed().lazy.compactMap { $0[name] }.first
  }

  private mutating func attributes(of block: inout TSDLBlock) throws(TSDLError) {
    try expect("{")
    while try !take("}") { try attribute(of: &block) }
  }

  /// Reads `id = 0;`, `name = "a:b";`, `map = clock.monotonic.value;` or `fields := struct { … };`.
  private mutating func attribute(of block: inout TSDLBlock) throws(TSDLError) {
    if case .word("typealias") = token { return try typealiased() }
    let key = try path()
    let rule = TSDLAttribute.rule(of: key, in: block.kind)
    if token == .assignment {
      guard !block.has(key) else { throw failure("'\(key)' is there twice") }
      try advance()
      block.types[key] = try type()
    } else {
      try expect("=")
      guard rule == nil || !block.has(key) else { throw failure("'\(key)' is there twice") }
      switch token {
      case .number(let magnitude, let isNegative):
        guard let number = Int(exactly: magnitude) else { throw .foreign("a number of 64 bits") }
        let value = isNegative ? -number : number
        guard rule?.allows(value) != false else { throw failure("'\(key)' cannot be \(value)") }
        block.numbers[key] = value
        try advance()
      case .text(let text):
        try advance()
        try set(key, to: text, rule, in: &block)
      default: try set(key, to: try path(), rule, in: &block)
      }
    }
    try expect(";")
  }

  private func set(
    _ key: String, to text: String, _ rule: TSDLAttribute?, in block: inout TSDLBlock
  ) throws(TSDLError) {
    guard rule?.allows(text) != false else {
      throw failure("'\(key)' cannot be \(LogText.quoted(text))")
    }
    block.texts[key] = text
  }

  // MARK: - Types

  private mutating func type() throws(TSDLError) -> TSDLType {
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
    while try !take("}") {
      let type = try type()
      repeat {
        let member = try member(of: type)
        guard names.insert(member.name).inserted else {
          throw failure("a structure has two members '\(member.name)'")
        }
        members.append(member)
      } while try take(",")
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
    while try take("[") {
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
    guard try take(":") else { throw .foreign("an enumeration has no type") }
    guard case .integer(var integer) = try type() else { throw unexpected("an integer") }
    try expect("{")
    repeat {
      let label = try label()
      if try take("=") {
        let first = try signed()
        if token == .ellipsis {
          try advance()
          guard try signed() >= first else { throw unexpected("a range") }
        }
        integer.labels[label] = UInt64(truncatingIfNeeded: first)
      }
    } while try take(",") && token != .symbol(UInt8(ascii: "}"))
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

  // MARK: - Words

  private mutating func advance() throws(TSDLError) { token = try lexer.next() }

  private mutating func take(_ symbol: Unicode.Scalar) throws(TSDLError) -> Bool {
    guard token == .symbol(UInt8(ascii: symbol)) else { return false }
    try advance()
    return true
  }

  private mutating func expect(_ symbol: Unicode.Scalar) throws(TSDLError) {
    guard try take(symbol) else { throw unexpected("'\(symbol)'") }
  }

  private mutating func number() throws(TSDLError) -> UInt64 {
    guard case .number(let magnitude, isNegative: false) = token else {
      throw unexpected("a number")
    }
    try advance()
    return magnitude
  }

  /// A number of an enumeration, of at most 64 bits.
  private mutating func signed() throws(TSDLError) -> Int128 {
    guard case .number(let magnitude, let isNegative) = token else {
      throw unexpected("a number")
    }
    try advance()
    return isNegative ? -Int128(magnitude) : Int128(magnitude)
  }

  /// Reads `clock.monotonic.value`.
  private mutating func path() throws(TSDLError) -> String {
    var path = ""
    repeat {
      guard case .word(let word) = token else { throw unexpected("a word") }
      path += path.isEmpty ? word : ".\(word)"
      try advance()
    } while try take(".")
    return path
  }

  /// The words up to a symbol, except for the last one, which is then the current token.
  private mutating func words(butLast: Bool = false) throws(TSDLError) -> [String] {
    var words: [String] = []
    while case .word(let word) = token {
      let before = lexer
      try advance()
      if butLast, !words.isEmpty {
        guard case .word = token else {
          (lexer, token) = (before, .word(word))
          return words
        }
      }
      words.append(word)
    }
    return words
  }

  private func unexpected(_ expected: String) -> TSDLError { failure("\(expected) is expected") }

  private func failure(_ fact: String) -> TSDLError {
    TSDLError(reason: "line \(lexer.line) of its metadata: \(fact)")
  }
}
