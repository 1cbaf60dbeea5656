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

typealias CString = UnsafePointer<CChar>

/// Passes a string to C, without a copy if Swift's own storage allows it.
///
/// A NUL in it is passed as the six characters `\u{0}`, since it would end the string.
func withTraceString(_ text: String, _ body: (CString) -> Void) {
  let isWhole = text.withCString { string in
    guard strlen(string) == text.utf8.count else { return false }
    body(string)
    return true
  }
  guard !isWhole else { return }
  text.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\\u{0}")
    .withCString(body)
}
