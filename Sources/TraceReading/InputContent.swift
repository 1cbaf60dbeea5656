// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// The appearance of an input before it is read.
public enum InputContent {
  /// Whether the first byte that is not a space opens a JSON object.
  ///
  /// Bytes of standard input that were read for this are passed to its reader.
  public static func isJSON(path: String) throws(TraceReadingError) -> Bool {
    // Standard input may be a folder: its reader reports that.
    if path != "-", try isFolder(path) { return false }
    return isJSON(try FileDescriptor.peek(path))
  }

  public static func bytes(path: String) throws(TraceReadingError) -> [UInt8] {
    let file = try FileDescriptor.input(path)
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = file.read(into: &block)
      if count < 0 { throw .unreadable(path, reason: systemError()) }
      guard count > 0 else { return bytes }
      bytes += block[..<count]
      guard bytes.count <= longest else {
        throw .unreadable(path, reason: "it is longer than any report: \(longest >> 20) MiB")
      }
    }
  }

  /// A hash of all bytes of an input, or of a folder's files and their names.
  public static func hash(path: String) throws(TraceReadingError) -> String {
    guard path != "-" else {
      throw .unreadable(path, reason: "standard input cannot be read twice; pass a file")
    }
    guard let hash = FolderHash.hash(of: path) else {
      throw .unreadable(path, reason: systemError())
    }
    return hash.text
  }

  /// The text of an input that is neither a trace nor a log, such as a plan that was copied from a page.
  ///
  /// Bytes of a pipe that were read for this are passed to its next reader.
  ///
  /// - Returns: nil for a folder, a trace, a log, a saved report, and data that is no text.
  public static func plainText(path: String) throws(TraceReadingError) -> String? {
    guard try !isFolder(path) else { return nil }
    return try FileDescriptor.peeking(path) { file in
      let conversion = UTF16Conversion(head: file.peek())
      let bytes = file.peekAll(atMost: maxPlainText) { block in
        conversion != nil || !block.contains(0) && !hasLogLine(block)
      }
      guard var bytes else { return nil }
      guard !hasLogLine(ConvertedText.text(of: bytes)[...]) else { return nil }
      if var conversion { bytes = conversion.convert(bytes[...], isLast: true) }
      let text = String(decoding: bytes, as: UTF8.self)
      return text.contains("\"schemaVersion\"") ? nil : text
    }
  }

  // 1 MiB is arbitrary: thousands of plans.
  private static let maxPlainText = 1 << 20

  private static func hasLogLine(_ bytes: ArraySlice<UInt8>) -> Bool {
    var pasted = PastedText()
    return bytes.split(separator: UInt8(ascii: "\n")).contains { line in
      line.withUnsafeBytes { line in
        guard var text = pasted.decoded(line) else { return isLogLine(line) }
        return text.withUTF8 { isLogLine(UnsafeRawBufferPointer($0)) }
      }
    }
  }

  private static func isLogLine(_ line: UnsafeRawBufferPointer) -> Bool {
    let own = LinePrefix.all(of: line).last?.rest ?? line
    guard LogLine(own) == nil else { return true }
    let isCoreData = CoreDataLine(own).map { line in
      line.isMarked || line.category == .annotation && CoreDataAnnotation(line.text) != nil
    }
    return isCoreData == true || (StatementLogLine(own)?.isStatement ?? false)
  }

  private static func isFolder(_ path: String) throws(TraceReadingError) -> Bool {
    var status = stat()
    guard path != "-" else {
      return fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
    guard stat(path, &status) == 0 else {
      throw errno == ENOENT || errno == ENOTDIR
        ? .noSuchInput(path) : .unreadable(path, reason: systemError())
    }
    return status.st_mode & S_IFMT == S_IFDIR
  }

  // 512 MiB is arbitrary: a report with the maximum number of statements has about 100 MB.
  private static let longest = 512 << 20

  private static func isJSON(_ bytes: [UInt8]) -> Bool {
    let text = bytes.drop { " \t\r\n".utf8.contains($0) }
    // `{\rtf1` is a rich text, `{code}` the mark of an issue tracker.
    let next = text.dropFirst().first { !" \t\r\n".utf8.contains($0) }
    return text.first == UInt8(ascii: "{") && next.map { "\"}".utf8.contains($0) } ?? true
      && !UnifiedLogConversion.isNeeded(head: bytes)
  }
}
