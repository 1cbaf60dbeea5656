// SPDX-License-Identifier: Apache-2.0

/// The comparison that a parameter belongs to.
enum ParameterSlot {
  /// How a text that is searched for is written.
  enum TextForm: Hashable {
    /// A part of the unchanged value, from its beginning or from its end.
    case prefix, suffix
    /// A whole value.
    case whole
    /// Between wildcards of `LIKE`, of `GLOB` and `NSCoreDataLike`, or of regular expressions.
    case like, glob, escapedGlob, regularExpression
    /// A word of the text, for MATCH.
    case word
  }

  case limit
  case offset
  case zero
  case equal(ParameterSampler.Operand)
  /// One end of a range; `isPaired` if the other end is bound as well.
  case lower(ParameterSampler.Operand, isPaired: Bool)
  case upper(ParameterSampler.Operand, isPaired: Bool)
  /// The value at this position of a list.
  case listed(ParameterSampler.Operand, position: Int)
  /// A list in JSON; encoded where `NSCoreDataValue` reads its values.
  case jsonList(ParameterSampler.Operand, isEncoded: Bool)
  case text(ParameterSampler.Operand, TextForm)

  var operand: ParameterSampler.Operand? {
    switch self {
    case .limit, .offset, .zero: nil
    case .equal(let operand), .lower(let operand, _), .upper(let operand, _),
      .listed(let operand, _), .jsonList(let operand, _), .text(let operand, _):
      operand
    }
  }

  /// The operand of a range without another end.
  var openRange: ParameterSampler.Operand? {
    switch self {
    case .lower(let operand, isPaired: false), .upper(let operand, isPaired: false): operand
    default: nil
    }
  }

  var isLimit: Bool { if case .limit = self { true } else { false } }

  /// Whether it is the pattern of a LIKE or a GLOB.
  var isPattern: Bool {
    if case .text(_, let form) = self { form == .like || form == .glob } else { false }
  }

  /// Whether a larger width finds more rows.
  var hasWidth: Bool {
    switch self {
    case .lower, .upper, .jsonList: true
    case .text(_, let form): form != .whole && form != .word
    case .limit, .offset, .zero, .equal, .listed: false
    }
  }
}
