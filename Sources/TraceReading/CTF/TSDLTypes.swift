// SPDX-License-Identifier: Apache-2.0

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
