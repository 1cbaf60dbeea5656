// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The events of one stream, packet by packet.
final class EventStream {
  private let streamClass: StreamClass
  // A constant: a variable of another class is checked for exclusive access at each event.
  private let classes: [EventClass?]
  private let files: [StreamFile]
  private let packets: [StreamPacket]
  private var nextPacket = 0
  private var file: (number: Int, file: ReadableFile)?
  private var bytes: MappedBytes?

  // Unchecked: one thread reads, each event.
  /// The clock's value, of which most events have only the lower bits.
  @exclusivity(unchecked) private var clock: UInt64 = 0
  /// The data that was not read yet: the contexts and the payload of the next event.
  @exclusivity(unchecked) var position: UnsafeRawPointer
  @exclusivity(unchecked) private(set) var end: UnsafeRawPointer
  /// The time of the next event; `nil` if its year is out of range.
  @exclusivity(unchecked) private(set) var time: Int64?
  /// The class of the next event; `classes` keeps it.
  @exclusivity(unchecked) private(set) var eventClass: Unmanaged<EventClass>?

  /// Events that the tracer discarded, since this was read last.
  var eventsLost: UInt64 = 0
  private(set) var hasLostPackets = false
  /// The error that ended the reading before the stream's end.
  private(set) var damage: Damage?
  /// The first position at which the time is less than before, or beyond all years.
  private(set) var clockDamage: String?

  enum Damage {
    case data(String)
    case system(String)
  }

  /// - Parameter files: the files of one stream; their common metadata is read once.
  init(_ files: [StreamFile], _ streamClass: StreamClass) {
    self.files = files
    self.streamClass = streamClass
    classes = streamClass.events
    packets = Self.merged(files)
    position = UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    end = position
  }

  /// All packets by their time; packets that overlapping snapshots share appear once.
  private static func merged(_ files: [StreamFile]) -> [StreamPacket] {
    guard files.count > 1 else { return files[0].packets }
    var packets: [StreamPacket] = []
    for (number, file) in files.enumerated() {
      packets += file.packets.map { packet in
        var packet = packet
        packet.file = number
        return packet
      }
    }
    // Stable: `sort` does not promise that it is.
    let order = packets.indices.sorted { (packets[$0].begin, $0) < (packets[$1].begin, $1) }
    var result: [StreamPacket] = []
    for index in order {
      let isKnown = result.reversed().lazy.prefix { $0.begin == packets[index].begin }
        .contains { $0.isCopy(of: packets[index]) }
      if !isKnown { result.append(packets[index]) }
    }
    return result
  }

  var byteCount: Int { packets.reduce(0) { $0 + $1.size } }
  /// The bytes of the packets that were begun.
  @exclusivity(unchecked) private(set) var bytesRead = 0

  /// Moves to the next event and reads its header; false at the end.
  func advance() -> Bool {
    while position == end { guard openNextPacket() else { return false } }
    guard let header = streamClass.header.header(at: position, to: end) else {
      return fail("an event's header extends beyond the packet")
    }
    guard header.id < UInt64(classes.count), let eventClass = classes[Int(header.id)] else {
      return fail("no event has the id \(header.id)")
    }
    self.eventClass = Unmanaged.passUnretained(eventClass)
    position += header.size
    setClock(header.time, bits: header.timeBits)
    return true
  }

  /// Ends the stream at the event that is being read.
  func cut() { _ = fail("an event extends beyond the packet") }

  @inline(__always)
  private func setClock(_ value: UInt64, bits: Int) {
    if bits == 64 {
      if value < clock { reportClock("goes back") }
      clock = value
    } else {
      let mask: UInt64 = (1 << UInt64(bits)) - 1
      let wraps = value < clock & mask
      clock = clock & ~mask | value
      if wraps { clock = clock &+ mask &+ 1 }
    }
    let (sum, overflow) = Int64(truncatingIfNeeded: clock)
      .addingReportingOverflow(streamClass.clockOffset)
    time = overflow || clock > UInt64(Int64.max) ? nil : sum
    if time == nil { reportClock("is in no year") }
  }

  /// Compares the end of a packet that was read with its last event.
  private func checkEnd(of packet: StreamPacket) {
    // 0 is the end of a packet of a killed program.
    guard streamClass.hasExactPacketEnds, damage == nil, packet.end != 0 else { return }
    setClock(packet.end, bits: 64)
  }

  @inline(never)
  private func reportClock(_ fact: String) {
    guard clockDamage == nil else { return }
    clockDamage = "the clock \(fact) \(location(in: packets[nextPacket - 1]))"
  }

  private func openNextPacket() -> Bool {
    let before = nextPacket > 0 ? packets[nextPacket - 1] : nil
    if let before { checkEnd(of: before) }
    guard nextPacket < packets.count else { return false }
    let packet = packets[nextPacket]
    nextPacket += 1
    bytesRead += packet.size
    bytes = nil
    if file?.number != packet.file {
      file = nil
      do {
        file = (packet.file, try ReadableFile(files[packet.file].path))
      } catch {
        nextPacket = packets.count
        damage = .system(error.reason.sentence)
        return false
      }
    }
    guard let bytes = file?.file.map(packet.offset, packet.contentSize) else {
      return fail("the file is shorter than it was", inPacket: packet)
    }
    countLost(packet, before)
    self.bytes = bytes
    position = bytes.start + packet.headSize
    end = bytes.start + packet.contentSize
    // Chunks and snapshots may overlap; each has a folder of its own.
    if !streamClass.hasExactPacketEnds || !isInFolder(of: before, packet) { clock = 0 }
    setClock(packet.begin, bits: 64)
    return true
  }

  private func isInFolder(of before: StreamPacket?, _ packet: StreamPacket) -> Bool {
    guard let before else { return false }
    return before.file == packet.file || files[before.file].folder == files[packet.file].folder
  }

  private func countLost(_ packet: StreamPacket, _ before: StreamPacket?) {
    if let discarded = packet.discarded {
      if let before = before?.discarded {
        // A counter of 32 bits that ran over is smaller than it was.
        eventsLost &+= discarded >= before ? discarded - before : max(discarded, 1)
      } else if discarded > 0 {
        // The number of events lost before the start of the trace is unknown.
        eventsLost &+= 1
      }
    }
    if let sequence = packet.sequence, let last = before?.sequence, sequence > last,
      sequence - last > 1
    {
      eventsLost &+= sequence - last - 1
      hasLostPackets = true
    }
  }

  private func fail(_ reason: String, inPacket unread: StreamPacket? = nil) -> Bool {
    damage = .data("\(reason), \(location(in: unread ?? packets[nextPacket - 1]))")
    nextPacket = packets.count
    end = position
    return false
  }

  private func location(in packet: StreamPacket) -> String {
    let offset = bytes.map { position - $0.start } ?? 0
    let path = LogText.quoted(files[packet.file].path)
    return "at byte \(packet.offset + UInt64(offset)) of \(path)"
  }
}
