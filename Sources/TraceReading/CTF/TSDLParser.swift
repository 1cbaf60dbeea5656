// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Reads the blocks of metadata as LTTng writes it.
struct TSDLParser {
  private var lexer: TSDLLexer
  private(set) var token = TSDLLexer.Token.end
  /// The types by name, of the blocks and structures that are open.
  var scopes: [[String: TSDLType]] = [[:]]
  private(set) var clocks: Set<String> = []
  var depth = 0

  // LTTng's structures are four deep; 32 is arbitrary.
  static let maxDepth = 32

  static func blocks(_ text: [UInt8]) throws(TSDLError) -> [TSDLBlock] {
    var parser = TSDLParser(lexer: TSDLLexer(text))
    try parser.advance()
    var blocks: [TSDLBlock] = []
    while parser.token != .end { if let block = try parser.block() { blocks.append(block) } }
    return blocks
  }

  private init(lexer: TSDLLexer) { self.lexer = lexer }

  private mutating func block() throws(TSDLError) -> TSDLBlock? {
    if try consume(";") { return nil }
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

  mutating func declare(_ name: String, _ type: TSDLType) throws(TSDLError) {
    guard scopes[scopes.count - 1].updateValue(type, forKey: name) == nil else {
      throw failure("'\(name)' is there twice")
    }
  }

  func known(_ name: String) -> TSDLType? {
    scopes.reversed().lazy.compactMap { $0[name] }.first
  }

  mutating func attributes(of block: inout TSDLBlock) throws(TSDLError) {
    try expect("{")
    while try !consume("}") { try attribute(of: &block) }
  }

  /// Reads `id = 0;`, `name = "a:b";`, `map = clock.monotonic.value;` or `fields := struct { … };`.
  private mutating func attribute(of block: inout TSDLBlock) throws(TSDLError) {
    if case .word("typealias") = token { return try typealiased() }
    let key = try path()
    let rule = TSDLAttribute.rule(of: key, in: block.kind)
    if token == .assignment {
      guard !TSDLAttribute.isType(key, of: block.kind) || !block.has(key) else {
        throw failure("'\(key)' is there twice")
      }
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

  // MARK: - Words

  mutating func advance() throws(TSDLError) { token = try lexer.next() }

  mutating func consume(_ symbol: Unicode.Scalar) throws(TSDLError) -> Bool {
    guard token == .symbol(UInt8(ascii: symbol)) else { return false }
    try advance()
    return true
  }

  mutating func expect(_ symbol: Unicode.Scalar) throws(TSDLError) {
    guard try consume(symbol) else { throw unexpected("'\(symbol)'") }
  }

  mutating func number() throws(TSDLError) -> UInt64 {
    guard case .number(let magnitude, isNegative: false) = token else {
      throw unexpected("a number")
    }
    try advance()
    return magnitude
  }

  /// A number of an enumeration, of at most 64 bits.
  mutating func signed() throws(TSDLError) -> Int128 {
    guard case .number(let magnitude, let isNegative) = token else {
      throw unexpected("a number")
    }
    try advance()
    return isNegative ? -Int128(magnitude) : Int128(magnitude)
  }

  /// Reads `clock.monotonic.value`.
  mutating func path() throws(TSDLError) -> String {
    var path = ""
    repeat {
      guard case .word(let word) = token else { throw unexpected("a word") }
      path += path.isEmpty ? word : ".\(word)"
      try advance()
    } while try consume(".")
    return path
  }

  /// The words up to a symbol, except for the last one, which is then the current token.
  mutating func words(butLast: Bool = false) throws(TSDLError) -> [String] {
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

  func unexpected(_ expected: String) -> TSDLError { failure("\(expected) is expected") }

  func failure(_ fact: String) -> TSDLError {
    TSDLError(reason: "line \(lexer.line) of its metadata: \(fact)")
  }
}
