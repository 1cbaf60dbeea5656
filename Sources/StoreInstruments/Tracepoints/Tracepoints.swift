// SPDX-License-Identifier: Apache-2.0

import CStoreTracepoints
import Glibc
import StoreEvents

/// Writes each event as an LTTng-UST tracepoint of the provider `objectstore`.
///
/// Nothing is wanted while no session has an event of the provider enabled.
public final class Tracepoints: StoreObserver {
  public init() {}

  public var interests: Interests { TraceSessions.interests }

  // A trace holds events; the other calls are for the log.
  public func willRun(sql: String, bindings: [BoundValue], contextID: UInt64) {}
  public func didReturn(_ objectURIs: [String], entity: String, sql: String, contextID: UInt64) {}
  public func didExplain(sql: String, plan: [PlanLine], contextID: UInt64) {}
  public func annotate(_ remark: String, contextID: UInt64) {}
  public func warn(_ remark: String, contextID: UInt64) {}
}

/// The sessions that record the provider, in whichever program they were made.
@usableFromInline
enum TraceSessions {
  // Not in the class: a static member of a class reads the class's metadata first.

  /// What any of them wants right now.
  @usableFromInline static var interests: Interests {
    CStoreTracepoints_any_enabled() ? .events : []
  }
}

extension Tracepoints {
  /// Passes an event to C as its struct, whose fields are a word each; the bytes of its texts are behind it.
  func send<Fields>(
    _ event: some EventPayload, _ contextID: UInt64, _ emit: (UnsafePointer<Fields>) -> Void
  ) {
    if !write(event, contextID, escapesNUL: false, emit) {
      _ = write(event, contextID, escapesNUL: true, emit)
    }
  }

  /// False if a NUL would end a text.
  private func write<Fields>(
    _ event: some EventPayload, _ contextID: UInt64, escapesNUL: Bool,
    _ emit: (UnsafePointer<Fields>) -> Void
  ) -> Bool {
    var size = TraceFieldsSize(escapesNUL: escapesNUL)
    event.write(to: &size)
    let words = MemoryLayout<Fields>.size
    return withUnsafeTemporaryAllocation(byteCount: words + size.texts, alignment: 8) { memory in
      guard let start = memory.baseAddress else { return true }
      var fields = TraceFields(word: start, text: start + words, escapesNUL: escapesNUL)
      fields.field("context_id", contextID)
      event.write(to: &fields)
      if fields.isWhole { emit(UnsafePointer(start.assumingMemoryBound(to: Fields.self))) }
      return fields.isWhole
    }
  }
}

/// The bytes of an event's texts, each with its NUL.
private struct TraceFieldsSize: EventFieldWriter {
  let escapesNUL: Bool
  var texts = 0

  func field(_ name: StaticString, _ value: Int64) {}
  func field(_ name: StaticString, _ value: UInt64) {}
  mutating func field(_ name: StaticString, _ value: String) {
    texts += (escapesNUL ? value.withoutNUL : value).utf8.count + 1
  }
}

private struct TraceFields: EventFieldWriter {
  var word: UnsafeMutableRawPointer
  var text: UnsafeMutableRawPointer
  let escapesNUL: Bool
  var isWhole = true

  mutating func field(_ name: StaticString, _ value: Int64) { append(value) }
  mutating func field(_ name: StaticString, _ value: UInt64) { append(value) }
  mutating func field(_ name: StaticString, _ value: String) {
    append(text)
    var value = escapesNUL ? value.withoutNUL : value
    let count = value.withUTF8 { bytes in
      if let start = bytes.baseAddress { memcpy(text, start, bytes.count) }
      return bytes.count
    }
    if memchr(text, 0, count) != nil { isWhole = false }
    text.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
    text += count + 1
  }

  private mutating func append<Word: BitwiseCopyable>(_ value: Word) {
    word.storeBytes(of: value, as: Word.self)
    word += 8
  }
}

extension String {
  /// The text with `\u{0}` instead of each NUL, which ends a string of C.
  var withoutNUL: String {
    split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\\u{0}")
  }
}
