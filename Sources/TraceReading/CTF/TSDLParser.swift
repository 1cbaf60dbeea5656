// SPDX-License-Identifier: Apache-2.0

import Foundation

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
  private var names: [String: TSDLType] = [:]
  private var depth = 0

  // LTTng's structures are four deep; 32 is arbitrary.
  private static let maxDepth = 32

  private static let clockAttributes: Set = [
    "name", "uuid", "description", "freq", "precision", "offset_s", "offset", "absolute",
  ]

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
      try typealiased(isNew: true)
      return nil
    case "struct", "enum", "variant":
      _ = try type()
      try expect(";")
      return nil
    case "trace", "env", "clock", "stream", "event", "callsite":
      try advance()
      var block = TSDLBlock(kind: kind)
      try expect("{")
      while try !take("}") { try attribute(of: &block) }
      try expect(";")
      return block
    default: throw unexpected("a block")
    }
  }

  /// - Parameter isNew: whether no type may have the name, as outside of all blocks.
  private mutating func typealiased(isNew: Bool = false) throws(TSDLError) {
    try advance()
    let aliased = try type()
    guard token == .assignment else { throw unexpected("':='") }
    try advance()
    let name = try words().joined(separator: " ")
    guard names.updateValue(aliased, forKey: name) == nil || !isNew else {
      throw TSDLError(reason: "line \(lexer.line) of its metadata: '\(name)' is there twice")
    }
    try expect(";")
  }

  /// Reads `id = 0;`, `name = "a:b";`, `map = clock.monotonic.value;` or `fields := struct { … };`.
  private mutating func attribute(of block: inout TSDLBlock) throws(TSDLError) {
    if case .word("typealias") = token { return try typealiased() }
    let key = try path()
    // A later variable of the environment replaces an earlier one; of a clock the specification's
    // attributes alone are read.
    let mayRepeat =
      block.kind == "env" || block.kind == "clock" && !Self.clockAttributes.contains(key)
    guard mayRepeat || !block.has(key) else {
      throw TSDLError(reason: "line \(lexer.line) of its metadata: '\(key)' is there twice")
    }
    if token == .assignment {
      try advance()
      block.types[key] = try type()
    } else {
      try expect("=")
      switch token {
      case .number(let magnitude, let isNegative):
        guard let number = Int(exactly: magnitude) else { throw unexpected("a smaller number") }
        block.numbers[key] = isNegative ? -number : number
        try advance()
      case .text(let text):
        guard block.kind != "trace" || key != "uuid" || UUID(uuidString: text) != nil else {
          throw unexpected("a UUID")
        }
        block.texts[key] = text
        try advance()
      default: block.texts[key] = try path()
      }
    }
    try expect(";")
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
      let fields = try fields()
      guard let exponent = fields.numbers["exp_dig"], let mantissa = fields.numbers["mant_dig"],
        (1...64).contains(exponent), (1...64).contains(mantissa)
      else { throw unexpected("the size of a number") }
      return .opaque(bits: exponent + mantissa, align: fields.numbers["align"] ?? 1)
    case "string":
      try advance()
      if token == .symbol(UInt8(ascii: "{")) { _ = try fields() }
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
      guard let type = names[name] else { throw unexpected("a known type before it") }
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
      guard let name, let type = names[name] else { throw unexpected("a known '\(kind)'") }
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
    if let name { names[name] = type }
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
    var members: [TSDLMember] = []
    var known: Set<String> = []
    while try !take("}") {
      let type = try type()
      repeat {
        let member = try member(of: type)
        guard known.insert(member.name).inserted else {
          throw TSDLError(
            reason: "line \(lexer.line): a structure has two members '\(member.name)'")
        }
        members.append(member)
      } while try take(",")
      try expect(";")
    }
    return members
  }

  /// Reads `_pk` or `_values[_length]`.
  private mutating func member(of type: TSDLType) throws(TSDLError) -> TSDLMember {
    guard case .word(let word) = token else { throw unexpected("a name") }
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
    let fields = try fields()
    var integer = TSDLInteger()
    integer.bits = fields.numbers["size"] ?? 0
    // An alignment that is not given is that of a byte for whole bytes.
    integer.align = fields.numbers["align"] ?? (integer.bits % 8 == 0 ? 8 : 1)
    guard (1...64).contains(integer.bits), integer.align > 0 else {
      throw unexpected("an integer of 1 to 64 bits")
    }
    integer.isSigned = fields.numbers["signed"] ?? 0 != 0 || fields.texts["signed"] == "true"
    switch fields.texts["byte_order"] {
    case "be", "network": integer.isBigEndian = true
    case "le": integer.isBigEndian = false
    default: break
    }
    integer.isText = ["UTF8", "ASCII"].contains(fields.texts["encoding"])
    integer.isClock = fields.texts["map"] != nil
    return integer
  }

  /// Reads ` : uint5_t { compact = 0 ... 30, extended = 31 }`.
  private mutating func enumeration() throws(TSDLError) -> TSDLInteger {
    guard try take(":") else { throw .foreign("an enumeration has no type") }
    guard case .integer(var integer) = try type() else { throw unexpected("an integer") }
    try expect("{")
    var label: String?
    while try !take("}") {
      switch token {
      case .word(let text), .text(let text): label = text
      case .number(let magnitude, _):
        if let key = label { integer.labels[key] = magnitude }
        label = nil
      case .end: throw unexpected("'}'")
      default: break
      }
      try advance()
    }
    return integer
  }

  /// Reads `{ size = 32; align = 8; … }`.
  private mutating func fields() throws(TSDLError) -> TSDLBlock {
    var block = TSDLBlock(kind: "")
    try expect("{")
    while try !take("}") { try attribute(of: &block) }
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

  private func unexpected(_ expected: String) -> TSDLError {
    TSDLError(reason: "line \(lexer.line) of its metadata: \(expected) is expected")
  }
}
