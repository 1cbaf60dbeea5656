// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import TraceRecording

@Suite struct TracedProgramTests {
  @Test func anOutputThatCannotBeWrittenIsNamed() throws {
    let path = try TemporaryDirectory().path("none/out.txt")
    #expect(throws: RecordingError.outputUnusable(path, code: ENOENT)) {
      _ = try TracedProgram.start(["true"], adding: [], output: .file(path))
    }
    #expect(
      RecordingError.outputUnusable(path, code: ENOENT).description
        == "cannot write '\(path)': No such file or directory; choose another file with -o")
  }
}
