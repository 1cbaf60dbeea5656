// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The library that observes the SQLite of a program, and how a program gets it.
public enum ProbeLibrary {
  public static let fileName = "libstorescope-probe.so"

  /// Finds the library: at the path in `STORESCOPE_PROBE`, beside the executable, in `../lib` of
  /// it, or where `make probe` puts it.
  ///
  /// - Returns: an absolute path, since a relative one fails in a child of another folder; nil if
  ///   the library is not installed.
  public static func path() -> String? {
    if let path = getenv("STORESCOPE_PROBE") { return absolute(String(cString: path)) }
    return path(of: fileName)
  }

  /// Finds a file of the installation that belongs to the executable.
  public static func path(of name: String) -> String? {
    guard let executable = absolute("/proc/self/exe") else { return nil }
    let folder = executable.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    return ["", "/../lib/storescope", "/../lib", "/../probe", "/../../probe"].lazy
      .compactMap { absolute("\(folder)\($0)/\(name)") }.first
  }

  /// What a program's environment must hold to be observed: the library first, then what the
  /// user's environment preloads.
  static func variables(_ path: String) -> [(String, String)] {
    let others = getenv("LD_PRELOAD").map { String(cString: $0) } ?? ""
    return [("LD_PRELOAD", others.isEmpty ? path : "\(path):\(others)")]
  }

  private static func absolute(_ path: String) -> String? {
    guard let absolute = realpath(path, nil) else { return nil }
    defer { free(absolute) }
    // The loader splits LD_PRELOAD at both.
    let text = String(cString: absolute)
    return text.contains(where: { $0 == ":" || $0 == " " }) ? nil : text
  }
}
