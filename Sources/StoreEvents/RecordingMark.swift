// SPDX-License-Identifier: Apache-2.0

/// The file in a trace's folder that its recorder holds locked (`flock`) until the trace is whole.
public enum RecordingMark {
  public static let fileName = ".recording"
}
