// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A Python program beside a test: its lines run, and then it waits until the test ends it.
///
/// `P` is the database, and `c` a connection to it in autocommit mode; `other(code)` runs code in another
/// process and keeps that, too.
final class PythonProgram {
  private let process = Process()
  var pid: Int32 { process.processIdentifier }

  /// It ends itself after this time if nothing ends it: tests of a whole suite wait for one another for minutes.
  private static let seconds = 1800

  private static let start = """
    import os, shutil, signal, sqlite3, subprocess, sys, time
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if os.getpgrp() != os.getpid(): os.setpgid(0, 0)
    signal.alarm(\(seconds))
    P, mode = sys.argv[1], sys.argv[2]
    children = []
    def connect(path=P, uri=False): return sqlite3.connect(path, isolation_level=None, timeout=10, uri=uri)
    def other(code):
        script = "import os, signal, sqlite3, sys, time; signal.alarm(\(seconds)); P = sys.argv[1]\\n" + code
        child = subprocess.Popen([sys.executable, "-c", script + "\\nprint(1, flush=True); time.sleep(\(seconds))", P],
                                 stdout=subprocess.PIPE)
        children.append(child)
        child.stdout.readline()
        return child
    def fork(code):
        r, w = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(\(seconds))
            exec(code, globals())
            os.write(w, b"1")
            time.sleep(\(seconds))
            os._exit(0)
        children.append(child)
        os.read(r, 1)
    c = connect()
    c.execute(f"PRAGMA journal_mode = {mode}")
    c.execute("CREATE TABLE IF NOT EXISTS t (a)")
    c.execute("INSERT INTO t VALUES (1)")

    """

  private static let end = """

    print("ready", flush=True)
    time.sleep(\(seconds))
    """

  struct NotReady: Error {}

  /// Starts the program and waits until its lines have run.
  init(_ code: String, database: String, mode: String) throws {
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", Self.start + code + Self.end, database, mode]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
    guard output.fileHandleForReading.availableData.starts(with: Data("ready".utf8)) else {
      throw NotReady()
    }
  }

  /// Ends it and the processes that it started.
  ///
  /// Not by the end of its input: programs that other tests start at the same time inherit the pipe.
  func end() {
    kill(-pid, SIGKILL)
    process.waitUntilExit()
  }
}
