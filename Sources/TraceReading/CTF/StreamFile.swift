// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// A stream file of a trace, walked from packet to packet.
struct StreamFile {
  let path: String
  /// The packets before the damage, if any.
  private(set) var packets: [StreamPacket] = []
  private(set) var isWhole = true
  /// The fields of the first packet; `nil` for a file without packets.
  private(set) var streamID: UInt64?
  private(set) var instanceID: UInt64?

  var folder: Substring { path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }

  /// The names of the stream files of a trace's folder, in order.
  static func names(inFolder folder: String) throws(SystemFailure) -> [String] {
    guard let directory = opendir(folder) else { throw SystemFailure(folder) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      guard name != "metadata", !name.hasPrefix("."), stat("\(folder)/\(name)", &status) == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { continue }
      names.append(name)
    }
    return names.sorted()
  }

  init(_ path: String, _ metadata: CTFMetadata) throws(SystemFailure) {
    self.path = path
    let file = try ReadableFile(path)
    let size = UInt64(file.size)
    let room = metadata.streams.values.map(\.packetContext.size).max() ?? 0
    let head = UnsafeMutableRawPointer.allocate(byteCount: metadata.head.size + room, alignment: 8)
    defer { head.deallocate() }
    var offset: UInt64 = 0
    while offset < size {
      let count = file.read(head, metadata.head.size + room, at: offset)
      guard let packet = packet(head, count, at: offset, of: size, metadata) else {
        isWhole = false
        return
      }
      packets.append(packet)
      offset += UInt64(packet.size)
    }
  }

  private mutating func packet(
    _ head: UnsafeRawPointer, _ count: Int, at offset: UInt64, of size: UInt64,
    _ metadata: CTFMetadata
  ) -> StreamPacket? {
    guard count >= metadata.head.size, let stream = metadata.head.stream(of: head),
      let streamClass = metadata.streams[stream.id], streamID ?? stream.id == stream.id
    else { return nil }
    let headSize = metadata.head.size + streamClass.packetContext.size
    guard count >= headSize,
      let packet = streamClass.packetContext.packet(
        head + metadata.head.size, at: offset, headSize: headSize, room: size - offset)
    else { return nil }
    if streamID == nil { (streamID, instanceID) = (stream.id, stream.instance) }
    return packet
  }
}

/// The reason why the system refused a file.
struct SystemFailure: Error {
  let path: String
  let reason: SystemErrorText

  /// Reads the reason from `errno`.
  init(_ path: String) {
    reason = .last
    self.path = path
  }
}

/// An open file that is read at offsets and mapped in parts.
final class ReadableFile {
  private let descriptor: CInt

  init(_ path: String) throws(SystemFailure) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw SystemFailure(path) }
  }

  deinit { close(descriptor) }

  /// In bytes, now.
  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Reads as many bytes as there are.
  func read(_ buffer: UnsafeMutableRawPointer, _ count: Int, at offset: UInt64) -> Int {
    while true {
      let read = pread(descriptor, buffer, count, off_t(offset))
      if read >= 0 || errno != EINTR { return max(read, 0) }
    }
  }

  /// Maps a part of the file, which must exist: access beyond the end of the file ends the process.
  func map(_ offset: UInt64, _ count: Int) -> MappedBytes? {
    guard offset <= UInt64(Int.max - count), Int(offset) + count <= size else { return nil }
    return MappedBytes(descriptor, offset, count)
  }
}

/// A part of a file in memory.
final class MappedBytes {
  private let mapping: UnsafeMutableRawPointer
  private let length: Int
  let start: UnsafeRawPointer

  fileprivate init?(_ descriptor: CInt, _ offset: UInt64, _ count: Int) {
    let page = UInt64(sysconf(CInt(_SC_PAGESIZE)))
    let skipped = Int(offset % page)
    length = count + skipped
    let flags = MAP_PRIVATE | MAP_POPULATE
    guard
      let mapped = mmap(nil, length, PROT_READ, flags, descriptor, off_t(offset) - off_t(skipped)),
      mapped != MAP_FAILED
    else { return nil }
    mapping = mapped
    start = UnsafeRawPointer(mapped) + skipped
  }

  deinit { munmap(mapping, length) }
}
