// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The contexts of one event.
package struct ContextValues {
  package var processID: Int64?
  package var threadID: Int64?
  /// A name, and any bytes after its NUL byte.
  package var name: UnsafeRawBufferPointer?

  package init() {}

  var processName: String? {
    name.map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

/// The positions of the recorder's contexts `vpid`, `vtid` and `procname` before the fields of a
/// class.
struct ContextFields {
  private let members: [FieldMember]
  private let processID: Int?
  private let threadID: Int?
  private let name: Int?
  /// Their positions if no field before them varies in size, as with LTTng.
  private let fixed: Fixed?

  private struct Fixed {
    let size: Int
    let processID: IntegerLayout?
    let threadID: IntegerLayout?
    let name: (offset: Int, count: Int)?
  }

  init(common: FieldLayout, specific: FieldLayout) {
    let members = common.members + specific.members
    func index(_ names: String..., isFound: (FieldMember) -> Bool) -> Int? {
      for name in names {
        if let index = members.firstIndex(where: { $0.name == name && isFound($0) }) {
          return index
        }
      }
      return nil
    }
    processID = index("vpid", "pid") { $0.integer != nil }
    threadID = index("vtid", "tid") { $0.integer != nil }
    name = index("procname", isFound: \.isText)
    self.members = members
    let offsets = (common.fixed, specific.fixed)
    guard let common = offsets.0, let specific = offsets.1 else {
      fixed = nil
      return
    }
    func offset(_ index: Int) -> Int {
      let isCommon = members.indices.contains(index) && index < common.offsets.count
      let name = members[index].name
      return isCommon ? common.offsets[name] ?? 0 : common.size + (specific.offsets[name] ?? 0)
    }
    fixed = Fixed(
      size: common.size + specific.size,
      processID: processID.flatMap { members[$0].integer?.moved(by: offset($0)) },
      threadID: threadID.flatMap { members[$0].integer?.moved(by: offset($0)) },
      name: name.flatMap { index in
        if case .text(let count) = members[index].kind { (offset(index), count) } else { nil }
      })
  }

  /// Reads the contexts, and moves a position after them; `nil` if they extend beyond the end.
  @inline(__always)
  func values(at position: inout UnsafeRawPointer, to end: UnsafeRawPointer) -> ContextValues? {
    guard let fixed else { return slowValues(at: &position, to: end) }
    guard end - position >= fixed.size else { return nil }
    var values = ContextValues()
    values.processID = fixed.processID.map { Int64(bitPattern: $0.value(position)) }
    values.threadID = fixed.threadID.map { Int64(bitPattern: $0.value(position)) }
    if let name = fixed.name {
      values.name = UnsafeRawBufferPointer(start: position + name.offset, count: name.count)
    }
    position += fixed.size
    return values
  }

  private func slowValues(
    at position: inout UnsafeRawPointer, to end: UnsafeRawPointer
  ) -> ContextValues? {
    var values = ContextValues()
    var length: UInt64 = 0
    for index in members.indices {
      let member = members[index]
      guard let next = member.step.end(from: position, to: end, &length) else { return nil }
      if index == processID {
        values.processID = member.integer.map { Int64(bitPattern: $0.value(position)) }
      } else if index == threadID {
        values.threadID = member.integer.map { Int64(bitPattern: $0.value(position)) }
      } else if index == name {
        values.name = UnsafeRawBufferPointer(start: position, count: next - position)
      }
      position = next
    }
    return values
  }
}

extension FieldMember {
  fileprivate var isText: Bool {
    switch kind {
    case .string, .text: true
    default: false
    }
  }
}
