// SPDX-License-Identifier: Apache-2.0

import CLogSink
import Glibc
import StoreEvents

extension DebugLog {
  /// The log that `STORE_SQL_DEBUG` and `STORE_SQL_DEBUG_FILE` configure, one for the process.
  static let fromEnvironment: DebugLog? = {
    guard let setting = environment("STORE_SQL_DEBUG"), !setting.isEmpty else {
      if let path = environment("STORE_SQL_DEBUG_FILE"), !path.isEmpty {
        complain("STORE_SQL_DEBUG_FILE needs a level as well; set STORE_SQL_DEBUG=1")
      }
      return nil
    }
    // The probe records the store's statements, with all values, for a replay.
    if setting == "0" || environment("STORE_TRACE_VALUES") == "whole" { return nil }
    guard let number = Int(setting), number > 0 else {
      complain("STORE_SQL_DEBUG='\(setting)' is not a level from 0 to 4; nothing is logged")
      return nil
    }
    let level = Level(rawValue: number) ?? .plans
    guard let path = environment("STORE_SQL_DEBUG_FILE"), !path.isEmpty else {
      return DebugLog(level: level)
    }
    do throws(DebugLogError) {
      return try DebugLog(level: level, path: try file(path))
    } catch {
      // Otherwise a recording has ended, and this process goes on.
      if error.code != ESHUTDOWN { complain("\(error); nothing is logged") }
      return nil
    }
  }()

  /// The log of this process, if a path is that of the folder of a recording.
  private static func file(_ path: String) throws(DebugLogError) -> String {
    var file = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard CLogSink_find(path, getpid(), &file, file.count) else {
      throw DebugLogError(path: path, code: errno)
    }
    return String(decoding: file.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Logs to the end of a file, which is made if need be, for its owner alone.
  ///
  /// A symbolic link in a folder that others may write, such as `/tmp`, is not followed: one of them
  /// may have put it there, and the log would be written into any file that the process may write.
  public convenience init(level: Level, path: String) throws(DebugLogError) {
    let descriptor = LogFile.open(path)
    guard descriptor >= 0 else { throw DebugLogError(path: path, code: errno) }
    self.init(level: level, descriptor: descriptor, isOwned: true)
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static func complain(_ sentence: String) {
    var standardError = LogSink(descriptor: 2)
    Array("ObjectStore: warning: \(sentence)\n".utf8)
      .withUnsafeBytes { standardError.write($0, lines: 1) }
  }
}

/// Why a debug log could not be opened.
public struct DebugLogError: Error, Hashable, CustomStringConvertible {
  public let path: String
  /// The value of `errno`.
  public let code: Int32

  public init(path: String, code: Int32) {
    self.path = path
    self.code = code
  }

  public var description: String {
    "cannot open the log '\(LogText.escaped(path))': "
      + (code == ELOOP
        ? "a symbolic link in a folder that others may write is not followed; pass the path it "
          + "leads to" : SystemErrorText(code).sentence)
  }
}
