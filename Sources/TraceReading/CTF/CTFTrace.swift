// SPDX-License-Identifier: Apache-2.0

import CBabeltrace

/// The folders of one trace: one, or the chunks of a session that was rotated.
struct CTFTrace {
  let folders: [String]

  /// Puts folders of the same trace together, so that what was discarded between two chunks is
  /// counted, and what two snapshots share is read once.
  static func grouping(_ folders: [String]) -> [CTFTrace] {
    var groups: [(id: String, folders: [String])] = []
    for folder in folders {
      let id = try? withoutAborting { CTFPlugin.ctf?.traceIdentifier(of: folder) }
      if let index = groups.firstIndex(where: { $0.id == id ?? folder }) {
        groups[index].folders.append(folder)
      } else {
        groups.append((id ?? folder, [folder]))
      }
    }
    return groups.map { CTFTrace(folders: $0.folders) }
  }
}

/// A plugin of libbabeltrace2, kept for the life of the process.
final class CTFPlugin: Sendable {
  nonisolated(unsafe) private let plugin: OpaquePointer

  static let ctf = CTFPlugin("ctf")
  static let utils = CTFPlugin("utils")

  private init?(_ name: String) {
    // The library's own log would go to stderr, between the lines of a report.
    bt_logging_set_global_level(BT_LOGGING_LEVEL_NONE)
    var found: OpaquePointer?
    let status = bt_plugin_find(name, 1, 0, 1, 1, 0, &found)
    guard status == BT_PLUGIN_FIND_STATUS_OK, let found else {
      bt_current_thread_clear_error()
      return nil
    }
    plugin = found
  }

  func sourceClass(_ name: String) -> OpaquePointer? {
    bt_plugin_borrow_source_component_class_by_name_const(plugin, name)
  }

  func filterClass(_ name: String) -> OpaquePointer? {
    bt_plugin_borrow_filter_component_class_by_name_const(plugin, name)
  }

  /// Asks `ctf.fs` for the UUID of the trace in a folder.
  fileprivate func traceIdentifier(of folder: String) -> String? {
    guard let source = sourceClass("fs"), let parameters = bt_value_map_create() else { return nil }
    defer { bt_value_put_ref(parameters) }
    bt_value_map_insert_string_entry(parameters, "input", folder)
    bt_value_map_insert_string_entry(parameters, "type", "directory")
    let component = bt_component_class_source_as_component_class_const(source)
    guard
      let query = bt_query_executor_create(component, "babeltrace.support-info", parameters)
    else { return nil }
    defer { bt_query_executor_put_ref(query) }
    var result: OpaquePointer?
    defer { bt_value_put_ref(result) }
    guard bt_query_executor_query(query, &result) == BT_QUERY_EXECUTOR_QUERY_STATUS_OK else {
      bt_current_thread_clear_error()
      return nil
    }
    guard bt_value_is_map(result) != 0,
      let group = bt_value_map_borrow_entry_value_const(result, "group"),
      bt_value_is_string(group) != 0
    else { return nil }
    return String(cString: bt_value_string_get(group))
  }
}
