// SPDX-License-Identifier: Apache-2.0

/// A log in another encoding or format, read as the lines of its text.
final class ConvertedText: ByteSource {
  private let file: any ByteSource
  private var conversions: [any TextConversion]
  private var converted: ArraySlice<UInt8> = []
  private var isAtEnd = false

  // 64 KiB is arbitrary.
  private static let blockSize = 64 << 10

  /// Returns the file itself if its text needs no conversion.
  static func source(_ file: FileDescriptor, ledger: SourceLedger) -> any ByteSource {
    let conversions = conversions(head: file.peek())
    if conversions.contains(where: { $0 is MarkupConversion }) {
      ledger.addChange("the log is the source of a web page: its tags were removed")
    }
    return conversions.isEmpty ? file : ConvertedText(file, conversions)
  }

  /// The whole text of an input, converted.
  static func text(of bytes: [UInt8]) -> [UInt8] {
    var conversions = conversions(head: Array(bytes.prefix(FileDescriptor.peekSize)))
    return convert(bytes[...], isLast: true, &conversions)
  }

  /// The conversions of a text by its first bytes, each of the output of the one before it.
  private static func conversions(head: [UInt8]) -> [any TextConversion] {
    var head = head
    var conversions: [any TextConversion] = []
    if let conversion = UTF16Conversion(head: head) {
      conversions.append(conversion)
      var ahead = conversion
      head = ahead.convert(head[...], isLast: false)
    }
    if UnifiedLogConversion.isNeeded(head: head) {
      conversions.append(UnifiedLogConversion())
    } else if let table = TableConversion(head: head) {
      conversions.append(table)
    } else if MarkupConversion.isNeeded(head: head) {
      conversions.append(MarkupConversion())
    } else if ConsoleMetadataConversion.isNeeded(head: head) {
      conversions.append(ConsoleMetadataConversion())
    }
    return conversions
  }

  private static func convert(
    _ bytes: ArraySlice<UInt8>, isLast: Bool, _ conversions: inout [any TextConversion]
  ) -> [UInt8] {
    conversions.indices.reduce(Array(bytes)) { bytes, index in
      conversions[index].convert(bytes[...], isLast: isLast)
    }
  }

  private init(_ file: any ByteSource, _ conversions: [any TextConversion]) {
    self.file = file
    self.conversions = conversions
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while converted.isEmpty, !isAtEnd {
      var block = [UInt8](repeating: 0, count: Self.blockSize)
      let count = block.withUnsafeMutableBytes { file.read(into: $0) }
      guard count >= 0 else { return count }
      isAtEnd = count == 0
      converted = Self.convert(block[..<count], isLast: isAtEnd, &conversions)[...]
    }
    let part = converted.prefix(buffer.count)
    buffer.copyBytes(from: part)
    converted.removeFirst(part.count)
    return part.count
  }
}

/// Makes UTF-8 lines of the bytes of a file, block by block.
protocol TextConversion {
  mutating func convert(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [UInt8]
}
