// SPDX-License-Identifier: Apache-2.0

import CBabeltrace

/// libbabeltrace2's plugin `ctf`, kept for the life of the process.
struct BabeltracePlugin {
  private let plugin: OpaquePointer

  /// `nil` where it is not installed.
  init?() {
    var found: OpaquePointer?
    let status = bt_plugin_find("ctf", 1, 0, 1, 1, 0, &found)
    guard status == BT_PLUGIN_FIND_STATUS_OK, let found else {
      bt_current_thread_clear_error()
      return nil
    }
    plugin = found
  }

  func sourceClass(_ name: String) -> OpaquePointer? {
    bt_plugin_borrow_source_component_class_by_name_const(plugin, name)
  }
}
