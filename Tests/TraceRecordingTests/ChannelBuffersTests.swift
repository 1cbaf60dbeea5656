// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TraceRecording

@Suite struct ChannelBuffersTests {
  @Test(arguments: [
    (2, 24 << 30, 4 << 20), (64, 24 << 30, 4 << 20), (64, 8 << 30, 4 << 20),
    (2, 64 << 20, 2 << 20), (64, 64 << 20, 64 << 10),
  ])
  func leaveHalfOfTheSharedMemory(processors: Int, sharedMemory: Int, pieceSize: Int) throws {
    let buffers = try ChannelBuffers(processors: processors, sharedMemory: sharedMemory)
    #expect(buffers.pieceSize == pieceSize)
  }

  @Test func tooLittleSharedMemoryReportsHowMuchIsNeeded() {
    let error = RecordingError.sharedMemoryTooSmall(available: 1 << 20, needed: 2 << 20)
    #expect(throws: error) { _ = try ChannelBuffers(processors: 4, sharedMemory: 1 << 20) }
    #expect(
      "\(error)"
        == "/dev/shm has 1024 KiB free, tracing needs 2048 KiB; enlarge it (docker run --shm-size=256m)"
    )
  }
}
