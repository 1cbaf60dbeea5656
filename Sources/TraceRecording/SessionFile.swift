// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// A session of LTTng that writes into a folder, in the form that `lttng save` writes.
struct SessionFile {
  let name: String
  let folder: String
  /// The filter of all events.
  let scope: String
  let buffers: ChannelBuffers

  func write(to path: String) throws(RecordingError) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .runtimeDirectoryUnusable(path, code: errno) }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
      throw .runtimeDirectoryUnusable(path, code: errno)
    }
  }

  /// The session is stopped, and without the metadata's channel.
  var text: String {
    let events = StoreEvent.providers.map { provider in
      """
      <event><name>\(provider):*</name><enabled>true</enabled><type>TRACEPOINT</type>\
      <loglevel_type>ALL</loglevel_type><filter>\(Self.escaped(scope))</filter></event>
      """
    }
    let contexts = ["VPID", "VTID", "PROCNAME"].map { "<context><type>\($0)</type></context>" }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <sessions><session><name>\(name)</name><domains><domain><type>UST</type>
      <buffer_type>PER_UID</buffer_type><channels><channel><name>objectstore</name>
      <enabled>true</enabled><overwrite_mode>DISCARD</overwrite_mode>
      <subbuffer_size>\(buffers.pieceSize)</subbuffer_size>
      <subbuffer_count>\(ChannelBuffers.pieces)</subbuffer_count>
      <switch_timer_interval>0</switch_timer_interval><read_timer_interval>0</read_timer_interval>
      <output_type>MMAP</output_type><blocking_timeout>0</blocking_timeout>
      <monitor_timer_interval>1000000</monitor_timer_interval>
      <events>\(events.joined(separator: "\n"))</events>
      <contexts>\(contexts.joined())</contexts>
      </channel></channels></domain></domains><started>false</started><output><consumer_output>
      <enabled>true</enabled><destination><path>\(Self.escaped(folder))</path></destination>
      </consumer_output></output></session></sessions>

      """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
