// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import StoreEvents
import TraceRecording

/// Common parts of the commands that record a program.
enum ProgramRecording {
  /// Records a program with the options, and prints the method before the program's output.
  static func record(
    _ options: RecordingOptions, examiner: (any IncidentExaminer)? = nil,
    prepare: (String) throws -> Void = { _ in }
  ) async throws -> Recording {
    try await TraceRecorder.record(
      options, examiner: examiner,
      willLog: { Output.complain("records a log, about 1.5 µs and 150 bytes a statement: \($0)") },
      prepare: prepare)
  }

  /// The guardian of all recordings: this program.
  static let guardian = ["/proc/self/exe", GuardRecording.name]

  /// The library that observes; nil, with a line, if it is not installed.
  static var probe: String? {
    if let path = ProbeLibrary.path() { return path }
    Output.complain(
      "\(ProbeLibrary.fileName) was not found, so only object stores are recorded; "
        + "run 'make probe', or name it in STORESCOPE_PROBE")
    return nil
  }

  /// Names the missing parts of a recording.
  static func complain(of recording: Recording) {
    for process in recording.untraced {
      Output.complain(LogText.escaped("not recorded: \(process)"))
    }
    if let limit = recording.logLimit {
      Output.complain(
        "the log ended at \(limit >> 20) MiB, so the recording is incomplete; the program ran on. "
          + "Allow more with --disk, in MiB")
    }
    if let reason = recording.keptHooks {
      Output.complain(
        LogText.escaped(
          "the probe's hooks stay in the process and record nothing: \(reason); remove them with "
            + "'trace-report attach --detach'"))
    }
    guard !recording.leftRunning.isEmpty else { return }
    Output.complain(
      LogText.escaped(
        "still running, and not recorded from now on: "
          + "\(recording.leftRunning.joined(separator: ", ")); run the program in the foreground to "
          + "record all of it"))
  }
}

/// A program that a command runs to its end, recorded into a temporary folder.
struct RecordedProgram {
  let folder: String

  /// Runs the program, with its standard output sent to standard error.
  init(_ command: [String]) async throws {
    let parent = FileManager.default.temporaryDirectory.path
    var template = Array("\(parent)/storescope-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure("cannot make a folder in \(LogText.quoted(parent)); set TMPDIR")
    }
    folder = String(
      decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    var options = RecordingOptions(command: command, directory: folder)
    options.probe = ProgramRecording.probe
    options.guardian = ProgramRecording.guardian
    // Our own standard output has the verdict and nothing else.
    let output = dup(STDOUT_FILENO)
    dup2(STDERR_FILENO, STDOUT_FILENO)
    defer {
      dup2(output, STDOUT_FILENO)
      close(output)
    }
    do {
      ProgramRecording.complain(of: try await ProgramRecording.record(options))
    } catch {
      remove()
      throw error
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}

/// A word of a command line that is printed.
enum ShellWord {
  /// Returns the word as a shell reads it: `'a b'` for `a b`.
  static func quoted(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy {
      !$0.isASCII || $0.properties.isAlphabetic
        || "0123456789-_./:=+,@%".unicodeScalars.contains($0)
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
  }
}
