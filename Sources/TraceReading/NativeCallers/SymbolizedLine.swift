// SPDX-License-Identifier: Apache-2.0

import CSourceFiles

/// A function and the line at which it calls the next one.
struct SymbolizedLine: Hashable {
  var function: String
  /// An absolute path as the compiler wrote it; "" without debug information.
  var file: String
  var line: UInt64

  /// Whether the application's author wrote it, as far as paths show: package managers and toolchains
  /// have folders of their own.
  var isFromApplication: Bool {
    isFromProgram
      && CSourceFiles_classify(file, CSourceFiles_native, nil) == CSourceFiles_program
  }

  /// Whether it is a line of the application or of a library, and neither SQLite's nor Go's stub
  /// for calls of C.
  var isFromProgram: Bool { line > 0 && !isFromSQLite && !isFromCgo && !isFromGoRuntime }

  private var isFromSQLite: Bool { CSourceFiles_is_of_sqlite(function, file) }

  /// Whether Go made it for a call of C, which is the same line for each caller.
  var isFromCgo: Bool {
    let name = file.split(separator: "/").last ?? ""
    return ["cgo-gcc-", "cgo-builtin-", "cgo-generated-", "_cgo_"].contains { name.hasPrefix($0) }
      || file.contains("runtime/cgo/")
  }

  /// Whether it is where Go changes to the stack of C.
  private var isFromGoRuntime: Bool {
    ["runtime/cgocall.go", "runtime/asm_"].contains { file.contains($0) }
  }
}

extension String {
  /// This path from the deepest folder that holds the program as well, so that it is the same on each
  /// machine that holds the project.
  ///
  ///     /home/ann/app/Sources/App/List.swift, of /home/ann/app/.build/debug/App  →  Sources/App/List.swift
  ///
  /// The path itself if they have only `/home` or `/usr` in common.
  func path(besideProgram program: String) -> String {
    let folders = split(separator: "/").dropLast()
    let common = zip(folders, program.split(separator: "/").dropLast()).prefix { $0 == $1 }.count
    guard hasPrefix("/"), common > 1 else { return self }
    return split(separator: "/").dropFirst(common).joined(separator: "/")
  }
}
