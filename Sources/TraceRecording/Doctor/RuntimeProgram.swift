// SPDX-License-Identifier: Apache-2.0

/// A runtime for programs that load a driver with a copy of SQLite later.
///
/// There is no trial of its drivers, because only the program that it runs names them.
enum RuntimeProgram {
  /// Returns the language that a runtime runs, by its name: `lua5.4` runs Lua; nil for any other program.
  static func language(of program: String) -> String? {
    let name = program.split(separator: "/").last ?? ""
    return languages[String(name.prefix { $0.isLetter })]
  }

  private static let languages = [
    "java": "Java", "dotnet": ".NET", "mono": ".NET", "lua": "Lua", "luajit": "Lua", "R": "R",
    "Rscript": "R", "julia": "Julia", "erl": "Erlang", "beam": "Erlang",
  ]
}
