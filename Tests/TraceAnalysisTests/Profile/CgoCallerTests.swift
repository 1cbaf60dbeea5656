// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing

@testable import TraceReading

/// Go's calls of C, which are the same lines for each caller.
@Suite struct CgoCallerTests {
  @Test(arguments: [
    "/tmp/go-build/cgo-gcc-prolog", "_cgo_export.c", "/tmp/go-build/_cgo_gotypes.go",
    "/usr/local/go/src/runtime/cgo/gcc_amd64.S", "/usr/lib/go-1.19/src/runtime/asm_amd64.s",
    "runtime/cgocall.go",
  ])
  func whatGoMakesIsNoPlaceOfAProgram(file: String) {
    let line = SymbolizedLine(function: "", file: file, line: 195)
    #expect(!line.isFromApplication && !line.isFromProgram)
  }

  @Test func theProgramsOwnLinesAreItsPlaces() {
    let line = SymbolizedLine(function: "main.main", file: "/home/ann/app/main.go", line: 9)
    #expect(line.isFromApplication && line.isFromProgram && !line.isFromCgo)
    let driver = "/usr/share/gocode/src/github.com/mattn/go-sqlite3/sqlite3.go"
    let library = SymbolizedLine(function: "", file: driver, line: 9)
    #expect(!library.isFromApplication && library.isFromProgram && !library.isFromCgo)
  }

  @Test func theFunctionThatCallsCIsNoCaller() {
    let caller = CallerAnnounced(
      callerID: 1, language: "native", file: "", line: 0,
      function: "_cgo_2a1a527b1dde_Cfunc_sqlite3_exec", frames: "/no/such/g+0x10;+0x20")
    let record = EventRecord(
      timestamp: 0, process: ProcessIdentity(id: 1, name: "g", host: ""), threadID: 1,
      contextID: 0, event: .caller(caller))
    guard case .caller(let resolved) = NativeCallers().resolve(record).event else { return }
    #expect(resolved.function.isEmpty && resolved.file.isEmpty)
  }
}
