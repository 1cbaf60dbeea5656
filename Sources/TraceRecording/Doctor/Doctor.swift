// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
public import StoreEvents

/// Finds out which copies of SQLite a recording of a program would observe, without running the
/// program.
///
/// An interpreter loads its SQLite when a script imports it. So known interpreters run one line
/// that opens a database in memory, under the probe; other programs are read as files.
public enum Doctor {
  /// - Throws: ``RecordingError/commandMissing(_:)``.
  public static func diagnose(
    _ command: [String], readLog: (String) throws -> [StoreEvent]
  ) throws -> ProgramDiagnosis {
    try TracedProgram.check(command)
    var program = find(command[0])
    var started = locate(command[0])
    // `#!/usr/bin/env python3` runs another program than the one that was named.
    // A script by the name of a known interpreter, such as a version manager's python3, runs that.
    if InterpreterTrial(program) == nil, let interpreter = interpreter(ofScript: program) {
      program = find(interpreter)
      started = locate(interpreter)
    }
    var diagnosis = ProgramDiagnosis(program: program)
    inspectSurroundings(&diagnosis)
    switch ProgramLauncher(command) ?? ProgramLauncher([program]) {
    case .passesOn(let remark):
      diagnosis.loadsSQLiteLater = true
      diagnosis.remarks.append(remark)
      // R is a script of a shell.
      if let language = RuntimeProgram.language(of: command[0]) {
        diagnosis.addUnknownLines(of: language)
      }
      return diagnosis
    case .removes(let obstacle):
      diagnosis.obstacles.append(obstacle)
      return diagnosis
    case nil: break
    }
    if interpreter(ofScript: program) == nil { inspectProgram(program, &diagnosis) }
    guard diagnosis.obstacles.isEmpty else { return diagnosis }
    if let trial = InterpreterTrial(program), let probe = ProbeLibrary.path() {
      // By the name that was given: a virtual environment of Python is a link to its interpreter.
      try trial.run(started, probe, &diagnosis, readLog: readLog)
    } else {
      let image = inspectLibraries(of: program, &diagnosis)
      if let image, !diagnosis.loadsSQLiteLater { inspectLines(of: image, &diagnosis) }
    }
    return diagnosis
  }

  /// Finds out which copies of SQLite a recording of a running process would observe, without
  /// changing it.
  public static func diagnose(process: Int32) throws(RecordingError) -> ProgramDiagnosis {
    try TracedProcess.check(process)
    let target = AttachTarget(process: process)
    let program = target.executable ?? "process \(process)"
    var diagnosis = ProgramDiagnosis(program: program, process: process)
    if ProbeLibrary.path() == nil { diagnosis.obstacles.append(missingProbe) }
    if let obstacle = target.obstacle { diagnosis.obstacles.append(obstacle) }
    guard diagnosis.obstacles.isEmpty else { return diagnosis }
    let files = target.mappedFiles
    if files.contains(where: { $0.hasSuffix("/\(ProbeLibrary.fileName)") }) {
      diagnosis.remarks.append("the probe is already loaded")
    }
    _ = inspect(files, of: program, &diagnosis)
    for index in diagnosis.copies.indices where diagnosis.copies[index].way == "symbols" {
      diagnosis.copies[index].way = nil
      diagnosis.copies[index].reason =
        "attach does not observe a copy within the program; start the program with "
        + "trace-report record"
    }
    if diagnosis.copies.isEmpty {
      diagnosis.loadsSQLiteLater = true
      diagnosis.remarks.append(
        "the process has not loaded SQLite yet; attach observes it from then on")
    }
    return diagnosis
  }

  private static let missingProbe =
    "\(ProbeLibrary.fileName) was not found; run 'make probe', or name it in STORESCOPE_PROBE"

  /// Whether a report can name the lines that run statements.
  private static func inspectLines(of file: ElfFile, _ diagnosis: inout ProgramDiagnosis) {
    if !file.hasDebugInformation {
      diagnosis.remarks.append(
        "the program has no debug information: its lines will not be known; compile it with -g")
    } else if !["llvm-symbolizer", "addr2line"].contains(where: { access(locate($0), X_OK) == 0 }) {
      diagnosis.remarks.append(
        "neither llvm-symbolizer nor addr2line is in PATH: the program's lines will not be known; "
          + "install binutils, or llvm for Swift and Rust")
    }
  }

  private static func inspectSurroundings(_ diagnosis: inout ProgramDiagnosis) {
    if ProbeLibrary.path() == nil {
      diagnosis.obstacles.append(missingProbe)
    }
    var options = RecordingOptions(command: [], directory: "")
    options.probe = ProbeLibrary.path()
    diagnosis.remarks.append(
      LTTngObstacle.find(options).map { "record writes a log: \($0)" } ?? "record uses LTTng")
  }

  private static func inspectProgram(_ program: String, _ diagnosis: inout ProgramDiagnosis) {
    var status = stat()
    if stat(program, &status) == 0, status.st_mode & (S_ISUID | S_ISGID) != 0, geteuid() != 0 {
      diagnosis.obstacles.append(
        "the program is setuid or setgid: the loader ignores LD_PRELOAD; run it as its owner")
    }
    guard let data = FileManager.default.contents(atPath: program), let file = ElfFile(data) else {
      diagnosis.obstacles.append("the program is not an ELF file for this machine")
      return
    }
    if !file.is64Bit {
      diagnosis.obstacles.append("the program is a 32-bit program; the probe is a 64-bit library")
    } else if file.interpreter == nil {
      diagnosis.obstacles.append(
        file.containsSQLite
          ? "the program is static, with its own SQLite: nothing can be loaded into it"
          : "the program is static: nothing can be loaded into it")
    } else if file.interpreter?.contains("musl") == true {
      diagnosis.obstacles.append("the program runs on musl; the probe needs glibc")
    }
  }

  /// The copies that are linked; a copy that is loaded later is found when the program runs.
  ///
  /// - Returns: the program's own file.
  private static func inspectLibraries(
    of program: String, _ diagnosis: inout ProgramDiagnosis
  ) -> ElfFile? {
    let image = inspect([program] + libraries(of: program), of: program, &diagnosis)
    if diagnosis.copies.isEmpty {
      let language = RuntimeProgram.language(of: program)
      diagnosis.loadsSQLiteLater = language != nil || image?.hasArchive == true
      diagnosis.remarks.append(
        "no SQLite is linked; one that the program loads later is observed when it runs")
      if let language { diagnosis.addUnknownLines(of: language) }
    }
    return image
  }

  private static func inspect(
    _ files: [String], of program: String, _ diagnosis: inout ProgramDiagnosis
  ) -> ElfFile? {
    var image: ElfFile?
    for path in files {
      guard let data = FileManager.default.contents(atPath: path), let file = ElfFile(data)
      else { continue }
      if path == program { image = file }
      guard file.containsSQLite || file.exportsSQLite else { continue }
      let isLibrary = path != program
      let way: String? =
        isLibrary && file.exportsSQLite
        ? "got"
        : file.hasSQLiteSymbols || file.exportsSQLite || file.hasExtensionTable
          ? "symbols" : nil
      diagnosis.copies.append(
        .init(
          path: path, version: "", way: way,
          reason: way == nil
            ? "the file is stripped, so the functions of its SQLite cannot be found; load the probe "
              + "as an extension where the driver can" : ""))
    }
    return image
  }

  /// The libraries that the loader would load, by its own list; no code of the program runs.
  private static func libraries(of program: String) -> [String] {
    guard let list = CommandText.run("/usr/bin/ldd", [program]) else { return [] }
    return list.split(separator: "\n").compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("/") }.map(String.init)
    }
  }

  /// The program's path by `PATH`, links kept.
  private static func locate(_ program: String) -> String {
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    let candidates =
      program.contains("/") ? [program] : folders.split(separator: ":").map { "\($0)/\(program)" }
    return candidates.first { access($0, X_OK) == 0 } ?? program
  }

  static func find(_ program: String) -> String {
    let found = locate(program)
    guard let absolute = realpath(found, nil) else { return found }
    defer { free(absolute) }
    return String(cString: absolute)
  }

  private static func interpreter(ofScript path: String) -> String? {
    guard let file = FileHandle(forReadingAtPath: path),
      let head = try? file.read(upToCount: 256), head.starts(with: Data("#!".utf8))
    else { return nil }
    let words = String(decoding: head.dropFirst(2).prefix { $0 != 0x0a }, as: UTF8.self)
      .split(separator: " ").map(String.init)
    guard let first = words.first else { return nil }
    return first.hasSuffix("/env") ? words.dropFirst().first { !$0.hasPrefix("-") } : first
  }
}

/// Runs a helper program and captures its output.
enum CommandText {
  static func run(
    _ program: String, _ arguments: [String], adding variables: [String: String] = [:]
  ) -> String? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
