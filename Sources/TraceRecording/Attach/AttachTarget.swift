// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A running process, and the obstacles to loading the probe into it.
struct AttachTarget {
  let process: pid_t

  private var folder: String { "/proc/\(process)" }

  /// Why the probe cannot be loaded, with advice; nil if it can as far as files show.
  ///
  ///     it belongs to another user; attach as that user or as root
  var obstacle: String? {
    guard access(folder, F_OK) == 0 else { return "it does not exist" }
    if let obstacle = stateObstacle ?? permissionObstacle ?? namespaceObstacle { return obstacle }
    return filterObstacle ?? shadowStackObstacle ?? imageObstacle
  }

  /// The user of the process.
  var user: uid_t? {
    var status = stat()
    return stat(folder, &status) == 0 ? status.st_uid : nil
  }

  /// The files that are mapped, each once.
  var mappedFiles: [String] {
    // `7f12c0a00000-7f12c0b00000 r-xp 00028000 fd:00 1234   /usr/lib/libc.so.6`
    // Not by its size, which is 0.
    let data = try? FileHandle(forReadingAtPath: "\(folder)/maps")?.readToEnd()
    let lines = String(decoding: data ?? Data(), as: UTF8.self)
    var seen: Set<Substring> = []
    return lines.split(separator: "\n").compactMap { line in
      guard let start = line.firstIndex(of: "/") else { return nil }
      let path = line[start...]
      return seen.insert(path).inserted ? String(path) : nil
    }
  }

  var executable: String? { Self.link("\(folder)/exe") }

  private func field(_ name: String) -> Substring? {
    RuntimeDirectory.text(ofFile: "\(folder)/status", limit: 1 << 14)?
      .split(separator: "\n").first { $0.hasPrefix("\(name):") }?
      .dropFirst(name.count + 1).drop { $0.isWhitespace }
  }

  private static func link(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  private var stateObstacle: String? {
    // `T (stopped)`
    switch field("State")?.first {
    case "Z", "X": return "it has ended"
    case "T": return "it is stopped; continue it: kill -CONT \(process)"
    default: break
    }
    guard let tracer = field("TracerPid"), tracer != "0" else { return nil }
    return "process \(tracer) traces it, such as a debugger; detach that first"
  }

  private var permissionObstacle: String? {
    guard Self.link("\(folder)/ns/mnt") == nil || executable == nil else { return nil }
    if geteuid() == 0 {
      return "the kernel does not permit it, also to root here; root needs CAP_SYS_PTRACE"
    }
    return user == geteuid()
      ? "it is protected from its owner, as after a change of its user; attach as root"
      : "it belongs to another user; attach as that user or as root"
  }

  private var namespaceObstacle: String? {
    for (name, word) in [("pid", "process"), ("mnt", "mount")]
    where Self.link("\(folder)/ns/\(name)") != Self.link("/proc/self/ns/\(name)") {
      return "it is in another \(word) namespace, such as a container; run trace-report there"
    }
    var (own, other) = (stat(), stat())
    guard stat("/", &own) == 0, stat("\(folder)/root/.", &other) == 0,
      own.st_dev == other.st_dev, own.st_ino == other.st_ino
    else {
      return "it has another root directory, so it cannot load the probe; run trace-report there"
    }
    return nil
  }

  /// The obstacle of a shadow stack, which ends a process with replaced return addresses.
  private var shadowStackObstacle: String? {
    field("x86_Thread_features")?.contains("shstk") == true
      ? "it has a shadow stack; start it with 'trace-report record'" : nil
  }

  /// A filter of system calls may end a process that loads a library.
  private var filterObstacle: String? {
    func filters(of target: AttachTarget) -> Int {
      target.field("Seccomp_filters").flatMap { Int($0) } ?? 0
    }
    let count = filters(of: self)
    guard count > filters(of: Self(process: getpid())), count > filters(of: Self(process: 1)) else {
      return nil
    }
    return "it restricts its system calls (seccomp), which may end it when it loads a library"
  }

  private var imageObstacle: String? {
    guard let data = FileManager.default.contents(atPath: "\(folder)/exe"),
      let file = ElfFile(data)
    else { return "its executable cannot be read" }
    if !file.is64Bit { return "it is a 32-bit program; the probe is a 64-bit library" }
    let names = mappedFiles.map { $0.split(separator: "/").last ?? "" }
    if names.contains(where: { $0.hasPrefix("ld-musl") }) {
      return "it runs on musl; the probe needs glibc"
    }
    let hasLibc = names.contains { $0.hasPrefix("libc.so.6") || $0.hasPrefix("libc-2.") }
    if !hasLibc { return "it is static: nothing can be loaded into it" }
    // Their frames have no .eh_frame, by which attach finds a thread that may load a library.
    return file.isFromGo
      ? "it is a program of Go, whose stacks cannot be examined; start it with 'trace-report record'"
      : nil
  }
}
