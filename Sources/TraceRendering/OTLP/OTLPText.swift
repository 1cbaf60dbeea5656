// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

/// Attributes of OTLP/JSON, as text.
///
/// Numbers of 64 bits are strings there, as in every JSON of Protocol Buffers. See
/// <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>.
struct OTLPAttributes {
  private(set) var text = ""

  mutating func add(_ key: String, _ value: String) {
    guard !value.isEmpty else { return }
    append(key, "{\"stringValue\":\(JSONWriter.quoted(value))}")
  }

  mutating func add(_ key: String, _ value: some FixedWidthInteger) {
    append(key, "{\"intValue\":\"\(Int64(clamping: value))\"}")
  }

  mutating func add(_ key: String, _ value: Bool) {
    append(key, "{\"boolValue\":\(value)}")
  }

  /// A counter; one of 0 is left out, as most are.
  mutating func addNonzero(_ key: String, _ value: some FixedWidthInteger) {
    if value != 0 { add(key, value) }
  }

  /// The counters and times of a run; the time on a connection is not among them.
  mutating func add(_ value: (WorkMetric) -> Int128?) {
    for metric in WorkMetric.all where metric.measure != .connectionTime {
      addNonzero("storescope.\(metric.column)", value(metric) ?? 0)
    }
  }

  mutating func add(_ location: SourceLocation) {
    guard !location.file.isEmpty else { return }
    add("code.file.path", location.file)
    addNonzero("code.line.number", location.line)
  }

  private mutating func append(_ key: String, _ value: String) {
    if !text.isEmpty { text += "," }
    text += "{\"key\":\(JSONWriter.quoted(key)),\"value\":\(value)}"
  }
}

/// A resource: a process of a host, or the sums of one host and version.
struct OTLPResource: Hashable {
  var service: String
  var process: Int64?
  var host: String
  var labels: [String: String]

  /// `"resource":{…}` with the keys of OpenTelemetry's conventions.
  var text: String {
    var attributes = OTLPAttributes()
    attributes.add("service.name", labels["service"] ?? service)
    attributes.add("service.version", labels["version"] ?? "")
    attributes.add("host.name", host)
    if let process, process > 0 { attributes.add("process.pid", process) }
    for (name, value) in labels.sorted(by: { $0.key < $1.key })
    where name != "version" && name != "service" {
      attributes.add("storescope.label.\(name)", value)
    }
    return "\"resource\":{\"attributes\":[\(attributes.text)]}"
  }
}

enum OTLPText {
  /// `"scope":{…}`.
  static func scope(version: String) -> String {
    "\"scope\":{\"name\":\"storescope\",\"version\":\(JSONWriter.quoted(version))}"
  }

  /// The number of an error, without its text, which may hold values: `SQLITE_BUSY`.
  static func errorType(_ error: String) -> String {
    let code = error.prefix { ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_" }
    return code.hasPrefix("SQLITE_") ? String(code) : "_OTHER"
  }
}
