// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process, described for a person.
public struct LockingProcess: Hashable, Sendable {
  /// Its id where this program runs; 0 for a process that this program cannot see.
  public var pid: Int32
  /// When it started, in clock ticks since the machine did; with the id it is unique.
  public var startTicks: UInt64
  /// Up to 15 characters: `python3`.
  public var program: String
  /// With its arguments; empty where it may not be seen.
  public var command: String
  public var userID: UInt32?
  public var user: String?
  /// Its id in its own pid namespace, where that is another.
  public var containerPID: Int32?
  /// The first 12 digits of its container's id.
  public var container: String?

  /// A process that holds a lock and cannot be seen from this pid namespace.
  public static let hidden = LockingProcess(
    pid: 0, startTicks: 0, program: "a process outside this pid namespace", command: "")

  private init(pid: Int32, startTicks: UInt64, program: String, command: String) {
    self.pid = pid
    self.startTicks = startTicks
    self.program = program
    self.command = command
  }

  /// Reads a process's facts from `/proc`; one that has ended keeps its id only.
  init(pid: Int32) {
    let folder = "/proc/\(pid)"
    self.init(
      pid: pid, startTicks: Self.startTicks(pid) ?? 0,
      program: ProcFile.text("\(folder)/comm").map { String($0.prefix { $0 != "\n" }) } ?? "?",
      command: Self.command(ProcFile.text("\(folder)/cmdline") ?? ""))
    guard let status = ProcFile.text("\(folder)/status") else { return }
    userID = ProcFile.field("Uid", in: status)?.split(separator: "\t").first.flatMap { UInt32($0) }
    user = userID.flatMap(Self.userName)
    let ids = ProcFile.field("NSpid", in: status)?.split(separator: "\t").compactMap { Int32($0) }
    if let ids, ids.count > 1 { containerPID = ids.last }
    if containerPID != nil {
      container = ProcFile.text("\(folder)/cgroup").flatMap(Self.containerID)
    }
  }

  /// Field 22 of `/proc/PID/stat`; the name before may hold spaces and brackets.
  static func startTicks(_ pid: Int32) -> UInt64? {
    guard let text = ProcFile.text("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[end...].split(separator: " ")
    return fields.count > 20 ? UInt64(fields[20]) : nil
  }

  private static func command(_ text: String) -> String {
    text.split(separator: "\0", omittingEmptySubsequences: true).joined(separator: " ")
  }

  private static func userName(_ id: UInt32) -> String? {
    var entry = passwd()
    var result: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 4096)
    guard getpwuid_r(id, &entry, &buffer, buffer.count, &result) == 0, result != nil,
      let name = entry.pw_name
    else { return nil }
    return String(cString: name)
  }

  /// The 64 hexadecimal digits that Docker, Podman and Kubernetes name a control group by.
  static func containerID(_ text: String) -> String? {
    for part in text.split(whereSeparator: { !$0.isHexDigit }) where part.count == 64 {
      return String(part.prefix(12))
    }
    return nil
  }
}
