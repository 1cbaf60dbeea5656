// SPDX-License-Identifier: Apache-2.0

/// A log in another encoding or format, read as the lines of its text.
final class ConvertedText: ByteSource {
  private let file: any ByteSource
  private var conversion: any TextConversion
  private var converted: ArraySlice<UInt8> = []
  private var isAtEnd = false

  // 64 KiB is arbitrary.
  private static let blockSize = 64 << 10

  /// Returns the file itself if its text is already what it should be.
  static func source(_ file: FileDescriptor) -> any ByteSource {
    let head = file.peek()
    if let conversion = UTF16Conversion(head: head) { return ConvertedText(file, conversion) }
    if UnifiedLogConversion.isNeeded(head: head) {
      return ConvertedText(file, UnifiedLogConversion())
    }
    if ConsoleMetadataConversion.isNeeded(head: head) {
      return ConvertedText(file, ConsoleMetadataConversion())
    }
    return file
  }

  private init(_ file: any ByteSource, _ conversion: any TextConversion) {
    self.file = file
    self.conversion = conversion
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while converted.isEmpty, !isAtEnd {
      var block = [UInt8](repeating: 0, count: Self.blockSize)
      let count = block.withUnsafeMutableBytes { file.read(into: $0) }
      guard count >= 0 else { return count }
      isAtEnd = count == 0
      converted = conversion.convert(block[..<count], isLast: isAtEnd)[...]
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
