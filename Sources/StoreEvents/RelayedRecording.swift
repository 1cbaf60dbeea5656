// SPDX-License-Identifier: Apache-2.0

/// How a recording that went through `lttng-relayd` lies in the relay's folder.
///
/// A relay daemon keeps streams alone and no file beside them, so the contents of a local trace's
/// `recording.json` are in the names of folders:
///
///     kiosk-7/storescope-2367-18042893/version=1.4/ust/uid/0/64-bit/…   streams, labels
///     kiosk-7/storescope-2367-18042893/ended/exit=0                     all was sent
public enum RelayedRecording {
  /// The name of a recording's folder: of its recorder's process and a random number.
  public static func name(process: Int32, number: UInt32) -> String {
    "\(prefix)\(process)-\(number)"
  }

  /// Whether a folder has such a name.
  public static func isName(_ name: some StringProtocol) -> Bool {
    guard name.hasPrefix(prefix) else { return false }
    let parts = name.dropFirst(prefix.count).split(
      separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && Int32(parts[0]) != nil && UInt32(parts[1]) != nil
  }

  private static let prefix = "storescope-"
  public static let endFolder = "ended"

  // The maximum length of a name in a file system, and half of LTTng's maximum for a path.
  private static let maxNameLength = 255
  private static let maxLength = 2000

  /// How the program ended.
  public enum End: Hashable, Sendable {
    case exit(Int32)
    case signal(Int32)
    /// The end of a process that ran before was not seen.
    case unseen
  }

  /// The folders that hold labels, one in another; nil if they are too long for a path.
  public static func path(of labels: [String: String]) -> String? {
    let names = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\(escaped($0.value))" }
    let path = names.joined(separator: "/")
    guard names.allSatisfy({ $0.utf8.count <= maxNameLength }), path.utf8.count <= maxLength
    else { return nil }
    return path
  }

  /// The label in the name of a folder; nil if it is another folder.
  public static func label(ofFolder name: String) -> (name: String, value: String)? {
    guard let sign = name.firstIndex(of: "="), sign != name.startIndex,
      let value = unescaped(name[name.index(after: sign)...])
    else { return nil }
    return (String(name[..<sign]), value)
  }

  /// The name of the folder that states an end.
  public static func name(of end: End) -> String {
    switch end {
    case .exit(let code): "exit=\(code)"
    case .signal(let number): "signal=\(number)"
    case .unseen: "unseen"
    }
  }

  /// The end in the name of a folder.
  public static func end(ofFolder name: String) -> End? {
    if name == "unseen" { return .unseen }
    if name.hasPrefix("exit=") { return Int32(name.dropFirst(5)).map(End.exit) }
    if name.hasPrefix("signal=") { return Int32(name.dropFirst(7)).map(End.signal) }
    return nil
  }

  private static func escaped(_ value: String) -> String {
    var text = ""
    for byte in value.utf8 {
      let letter = Unicode.Scalar(byte)
      switch letter {
      case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": text.unicodeScalars.append(letter)
      default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return text
  }

  private static func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let digits = String(rest.prefix(2)),
        let value = UInt8(digits, radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
