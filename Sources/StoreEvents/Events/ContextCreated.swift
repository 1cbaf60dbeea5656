// SPDX-License-Identifier: Apache-2.0

/// A context was made: names the `context_id` that its other events carry.
public struct ContextCreated: EventPayload {
  @inlinable
  public static var name: StaticString { "context_created" }

  public var storeID: UInt64
  /// The context that it saves to, or 0 for the store.
  public var parentID: UInt64
  /// `main` or `private`.
  public var queue: String
  /// A name for people, or "".
  public var contextName: String

  @inlinable
  public init(storeID: UInt64, parentID: UInt64, queue: String, contextName: String) {
    self.storeID = storeID
    self.parentID = parentID
    self.queue = queue
    self.contextName = contextName
  }

  @inlinable
  public func write(to fields: inout some EventFieldWriter) {
    fields.field("store_id", storeID)
    fields.field("parent_context_id", parentID)
    fields.field("queue", queue)
    fields.field("name", contextName)
  }

  @inlinable
  public init(from fields: inout some EventFieldReader) throws(EventFieldError) {
    storeID = try fields.uint64("store_id")
    parentID = try fields.uint64("parent_context_id")
    queue = try fields.string("queue")
    contextName = try fields.string("name")
  }
}
