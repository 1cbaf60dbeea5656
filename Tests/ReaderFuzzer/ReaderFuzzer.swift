// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// Damages inputs at random and reads them: whatever ends this process is a bug of a reader.
///
///     reader-fuzzer KIND FIRST COUNT FOLDER     log, core-data-log, statement-log, json or ctf; seeds from FIRST on
///
/// FOLDER/case holds the input that is being read and FOLDER/seed its seed, so that the one that
/// ends the process is kept. Traps end it by themselves, hangs by a timer, and memory by a limit.
@main
enum ReaderFuzzer {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let kind = FuzzedInput.Kind(rawValue: arguments[1]),
      let first = UInt64(arguments[2]), let count = UInt64(arguments[3])
    else {
      print("usage: reader-fuzzer KIND FIRST COUNT FOLDER")
      exit(64)
    }
    let folder = URL(filePath: arguments[4], directoryHint: .isDirectory)
    Limits.setMemory()
    let input = try FuzzedInput(kind, in: folder)
    var outcome = Outcome()
    for seed in first..<(first + count) {
      try Data("\(seed)\n".utf8).write(to: folder.appending(path: "seed"))
      try input.write(seed: seed)
      Limits.startTimer()
      try outcome.read(input)
      Limits.checkMemory()
    }
    print(
      "\(count) inputs, \(outcome.read) read, \(outcome.refused) refused, "
        + "\(outcome.events) events, \(Limits.peakMemory >> 20) MiB")
  }
}

/// The limits of a case; many times the expected use.
enum Limits {
  /// All of the address space, for memory that is requested and never touched.
  private static let addressSpace: rlim_t = 4 << 30
  /// In bytes; the inputs are a thousandth of it.
  private static let resident = 512 << 20
  /// Seconds of this process's own time, so that a busy machine is no hang.
  private static let processorTime = 10
  private static let wallTime: UInt32 = 120

  static func setMemory() {
    var limit = rlimit(rlim_cur: addressSpace, rlim_max: addressSpace)
    guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else {
      fatalError("RLIMIT_AS cannot be set")
    }
    var core = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
  }

  /// From here on SIGPROF or SIGALRM ends a process that is still at it.
  static func startTimer() {
    var timer = itimerval()
    timer.it_value.tv_sec = processorTime
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
    alarm(wallTime)
  }

  /// In bytes, the most so far.
  ///
  /// Not `getrusage`: that includes the memory of the parent process at the fork.
  static var peakMemory: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let kibibytes = line?.split { !$0.isNumber }.first.flatMap { Int($0) }
    return (kibibytes ?? 0) << 10
  }

  static func checkMemory() {
    guard peakMemory > resident else { return }
    print("memory grew to \(peakMemory >> 20) MiB")
    exit(9)
  }
}
