// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

@testable import TraceReading

/// The lines of real programs are tried by `make test-probe`.
@Suite struct NativeCallersTests {
  @Test func aFrameWithoutAModuleIsOfTheModuleBefore() {
    let frames = NativeFrame.frames("/bin/app+0x10;+0xff;/lib/a+b.so+0x1;+0x2")
    #expect(frames.map(\.module) == ["/bin/app", "/bin/app", "/lib/a+b.so", "/lib/a+b.so"])
    #expect(frames.map(\.offset) == [0x10, 0xff, 1, 2])
  }

  @Test(arguments: [
    "", ";", "+0x1", "/bin/app", "/bin/app+12", "/bin/app+0x", "/bin/app+0x1ffffffffffffffff",
  ])
  func whatIsNoFrameIsLeftOut(text: String) {
    #expect(NativeFrame.frames(text).isEmpty)
  }

  @Test(arguments: [
    ("/root/.pyenv/versions/3.11.7/bin/python3.11", true), ("/opt/lib/libpython3.13.so.1.0", true),
    ("/opt/node/bin/node", true), ("/opt/php-8.4/bin/php8.4", true),
    ("/opt/java/lib/server/libjvm.so", true), ("/home/ann/pythonic", false),
    ("/srv/nodes", false), ("/srv/app", false),
  ])
  func anInterpreterIsNoPlaceOfAProgram(module: String, isInterpreter: Bool) {
    #expect(NativeFrame(module: module, offset: 1).isFromInterpreter == isInterpreter)
  }

  @Test(arguments: [
    (
      "/home/ann/app/Sources/App/List.swift", "/home/ann/app/.build/debug/App",
      "Sources/App/List.swift"
    ),
    ("/home/ann/app/main.c", "/home/ann/app/main", "main.c"),
    ("/build/app-1.0/src/list.c", "/usr/bin/app", "/build/app-1.0/src/list.c"),
    ("/home/ann/list.c", "/home/bob/app", "/home/ann/list.c"),
    ("list.c", "/home/ann/app", "list.c"),
  ])
  func aFileIsNamedFromTheFolderOfTheProject(file: String, program: String, name: String) {
    #expect(file.path(besideProgram: program) == name)
  }

  @Test(arguments: [
    ("/home/ann/app/Sources/App/List.swift", 3 as UInt64, true),
    ("/home/ann/app/.build/checkouts/GRDB.swift/GRDB/Core/Statement.swift", 3, false),
    ("/home/ann/.cargo/registry/src/index/rusqlite-0.31.0/src/lib.rs", 3, false),
    ("/usr/share/gocode/src/github.com/mattn/go-sqlite3/sqlite3.go", 3, false),
    ("/usr/share/go-1.19/src/database/sql/sql.go", 3, false),
    ("/rustc/abc/library/core/src/ops/function.rs", 3, false),
    ("/usr/share/cargo/registry/rusqlite-0.28.0/src/lib.rs", 3, false),
    ("/home/ann/go/pkg/mod/github.com/jmoiron/sqlx@v1.3.5/sqlx.go", 3, false),
    ("github.com/jmoiron/sqlx@v1.3.5/sqlx.go", 3, false), ("database/sql/sql.go", 3, false),
    ("./database/sql/sql.go", 3, false), ("./main.go", 3, true),
    ("example.com/shop/database/list.go", 3, true), ("/home/ann/shop/database/list.go", 3, true),
    ("/home/ann/shop/vendor/github.com/jmoiron/sqlx/sqlx.go", 3, false),
    ("/home/ann/vendors/list.c", 3, true), ("/home/ann/app/db/sqlite3-binding.c", 3, false),
    ("/home/ann/app/third_party/sqlite3.c", 3, false), ("/home/ann/app/db/sqlite3.c", 3, false),
    ("<compiler-generated>", 0, false), ("/home/ann/app/List.swift", 0, false),
  ])
  func linesOfLibrariesAreNotTheApplications(file: String, line: UInt64, isFromApplication: Bool) {
    let line = SymbolizedLine(function: "", file: file, line: line)
    #expect(line.isFromApplication == isFromApplication)
  }

  @Test(arguments: [
    ("/lib/x86_64-linux-gnu/libc.so.6", true), ("/usr/lib/jvm/lib/libjava.so", true),
    ("/srv/.venv/lib/python3.11/site-packages/apsw/__init__.so", true),
    ("/srv/app/lib/libstore.so", false), ("/srv/vendor/app", false),
  ])
  func modulesOfTheSystemHaveNoLines(module: String, isFromSystem: Bool) {
    #expect(NativeFrame(module: module, offset: 1).isFromSystem == isFromSystem)
  }

  @Test func functionsOfSQLiteAreNotTheApplications() {
    let line = SymbolizedLine(function: "sqlite3VdbeExec", file: "/home/ann/app/vdbe.c", line: 3)
    #expect(!line.isFromApplication)
  }

  @Test(arguments: [
    ("/usr/lib/perl5/auto/DBD/SQLite/SQLite.so+0x10", ""),
    ("/tmp/sqlite-3.46-libsqlitejdbc.so+0x10;/opt/java/bin/java+0x4", ""),
    ("/srv/node_modules/better-sqlite3/better_sqlite3.node+0x10", ""), ("/usr/bin/perl+0x10", ""),
    ("/opt/libstore.so.1.2+0x10;/srv/app+0x4", ""), ("/srv/app+0x10;/opt/libstore.so+0x4", "save"),
  ])
  func theFunctionOfASharedLibraryIsNoCaller(frames: String, function: String) {
    let caller = CallerAnnounced(
      callerID: 1, language: "native", file: "", line: 0, function: "save", frames: frames)
    let record = EventRecord(
      timestamp: 0, process: ProcessIdentity(id: 1, name: "app", host: ""), threadID: 1,
      contextID: 0, event: .caller(caller))
    guard case .caller(let resolved) = NativeCallers().resolve(record).event else { return }
    #expect(resolved.function == function)
    #expect(resolved.file.isEmpty && resolved.line == 0)
  }

  @Test func onlyFilesOfElfAreOpenedAndNoneIsWaitedFor() throws {
    let folder = try TemporaryDirectory()
    let pipe = folder.url.appending(path: "pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let text = folder.url.appending(path: "text").path
    try Data(repeating: 0x41, count: 4096).write(to: URL(filePath: text))
    for path in [
      pipe, text, folder.url.path, "/dev/zero", "/dev/null", "relative", "/no/such", "/a\nb",
      "/a\"b",
    ] {
      #expect(ModuleImage(path: path) == nil, "\(path)")
    }
    #expect(ModuleImage(path: "/proc/self/exe")?.base == 0)
  }

  @Test func aTraceOfAnotherHostIsNotReadWithTheFilesOfThisOne() {
    let callers = NativeCallers()
    let caller = CallerAnnounced(
      callerID: 1, language: "native", file: "", line: 0, function: "",
      frames: "/proc/self/exe+0x1000")
    let record = EventRecord(
      timestamp: .max, process: ProcessIdentity(id: 1, name: "app", host: "elsewhere"), threadID: 1,
      contextID: 0, event: .caller(caller))
    #expect(callers.resolve(record) == record)
    #expect(
      callers.remarks == [
        "The lines of 1 native caller are not known: they ran on the host elsewhere. Read the trace there."
      ])
  }
}
