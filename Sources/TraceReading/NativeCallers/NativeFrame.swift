// SPDX-License-Identifier: Apache-2.0

import CSourceFiles

/// A return address in a file that a program has loaded.
struct NativeFrame: Hashable {
  /// The file's path.
  var module: String
  /// The offset from the address at which the file was loaded.
  var offset: UInt64

  /// Whether the file belongs to the system or to a toolchain.
  var isFromSystem: Bool {
    CSourceFiles_classify(module, CSourceFiles_module, nil) != CSourceFiles_program
  }

  /// Whether the file is an interpreter: its lines are the same for every program that it runs.
  var isFromInterpreter: Bool {
    let name = module.split(separator: "/").last ?? ""
    let stem = name.prefix { !$0.isNumber && $0 != "." && $0 != "-" }
    return ["python", "pypy", "node", "ruby", "perl", "php", "tclsh", "java", "jvm"]
      .contains { stem == $0 || stem == "lib" + $0 }
  }

  /// Whether the file is a shared library and no executable.
  var isFromSharedLibrary: Bool {
    let name = module.split(separator: "/").last ?? ""
    return name.hasSuffix(".so") || name.contains(".so.") || name.hasSuffix(".node")
  }

  /// Reads the field `frames` of the event `caller`: `/bin/app+0x10;+0x20;/lib/libc.so+0x30`.
  static func frames(_ text: String) -> [NativeFrame] {
    var module = ""
    return text.split(separator: ";").compactMap { part in
      guard let plus = part.lastIndex(of: "+"),
        part[plus...].hasPrefix("+0x"), let offset = UInt64(part[plus...].dropFirst(3), radix: 16)
      else { return nil }
      // The module is that of the frame before.
      if plus > part.startIndex { module = String(part[..<plus]) }
      return module.isEmpty ? nil : NativeFrame(module: module, offset: offset)
    }
  }
}
